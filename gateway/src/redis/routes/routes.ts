import type { Command } from "../../resp/command.js";
import { arrayOf, elementsOf, errorOf } from "../../resp/replies.js";
import type { UpstreamCounters } from "../counters.js";
import type { Receiver, ReplyStream } from "../failure.js";
import { combiners, Merge } from "../merge.js";
import type { PushConnectionOptions } from "../push-connection.js";
import { isRefusing } from "../server.js";
import type { Cancel, TransactionReceiver, Upstream } from "../upstream.js";
import { type Found, findRoute, type RoutedUpstream, TWO_ROUTES } from "./find-route.js";
import { unstripped } from "./strip.js";

/** A command on its way to one route. */
interface Sent {
  readonly route: RoutedUpstream;
  readonly command: Command;
  readonly receiver: Receiver;
  readonly tag: number;
  /** The name of what is run in the end. */
  readonly name: string;
  readonly wait: number;
}

/**
 * Several upstreams by the prefix of keys. The longest matching prefix counts. Commands without keys, subscriptions and
 * MONITOR use the route of all other keys.
 */
export class Routes implements Upstream {
  readonly #routes: readonly RoutedUpstream[];
  readonly #rest: RoutedUpstream;

  /** @param routes longer prefixes first; the last one is for the rest */
  constructor(routes: readonly RoutedUpstream[]) {
    this.#routes = routes;
    this.#rest = routes.at(-1)!;
  }

  /** Whether these are its routes. */
  leadTo(routes: readonly RoutedUpstream[]): boolean {
    return routes.every(({ upstream }, at) => upstream === this.#routes[at]!.upstream);
  }

  get counters(): UpstreamCounters {
    const sum: Record<string, number> = {};
    for (const { upstream } of this.#routes) {
      for (const [name, value] of Object.entries(upstream.counters)) sum[name] = (sum[name] ?? 0) + value;
    }
    return sum as unknown as UpstreamCounters;
  }

  get pushOptions(): PushConnectionOptions {
    return this.#rest.upstream.pushOptions;
  }

  get sharding(): Upstream["sharding"] {
    return this.#rest.upstream.sharding;
  }

  get connections(): Upstream["connections"] {
    const sum = { shared: 0, blocking: 0, transactions: 0 };
    for (const { upstream } of this.#routes) {
      const { shared, blocking, transactions } = upstream.connections;
      sum.shared += shared;
      sum.blocking += blocking;
      sum.transactions += transactions;
    }
    return sum;
  }

  get pending(): number {
    return this.#routes.reduce((sum, { upstream }) => sum + upstream.pending, 0);
  }

  open(): void {
    for (const { upstream } of this.#routes) upstream.open();
  }

  send(commands: readonly Command[], receiver: Receiver, deadline?: number): void {
    for (const [{ upstream }, group] of this.#spread(commands, receiver)) {
      upstream.send(
        group.map(({ command }) => command),
        new RoutedReplies(group),
        deadline,
      );
    }
  }

  sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel {
    const cancels = [...this.#spread(commands, receiver, waits)].map(([{ upstream }, group]) =>
      upstream.sendAlone(
        group.map(({ command }) => command),
        group.map(({ wait }) => wait),
        new RoutedReplies(group),
        deadline,
      ),
    );
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  transaction(commands: readonly Command[], receiver: TransactionReceiver, deadline?: number): Cancel {
    let route: RoutedUpstream | null = null;
    const ready: Found[] = [];
    for (const [place, each] of commands.entries()) {
      const found = findRoute(this.#routes, each);
      const error =
        "error" in found ? found.error : found.keys && route && route !== found.route ? TWO_ROUTES : null;
      if (error || "error" in found) {
        receiver.onExec(errorOf("EXECABORT"), new Map([[place, error!]]));
        return () => {};
      }
      if (found.keys) route = found.route;
      ready.push(found);
    }
    const sent = ready.map((found) => found.command);
    const { upstream, prefix, strip } = route ?? this.#rest;
    if (!strip) return upstream.transaction(sent, receiver, deadline);
    const through: TransactionReceiver = {
      get cancelled() {
        return receiver.cancelled;
      },
      onExec: (reply, refused) => receiver.onExec(restored(ready, reply, prefix), refused),
      onFailure: (failure) => receiver.onFailure(failure),
    };
    return upstream.transaction(sent, through, deadline);
  }

  /** Returns the reply of one that has none or refuses commands, if there is such a one. */
  async ping(timeout?: number): Promise<Buffer | null> {
    const replies = await Promise.all(this.#routes.map(({ upstream }) => upstream.ping(timeout)));
    const worst = replies.find((reply) => reply === null || isRefusing(reply));
    return worst === undefined ? replies[0]! : worst;
  }

  endWaits(within: number): void {
    for (const { upstream } of this.#routes) upstream.endWaits(within);
  }

  close(): void {
    for (const { upstream } of this.#routes) upstream.close();
  }

  /** Groups commands by route, in their order. A command without a route gets an error reply. */
  #spread(
    commands: readonly Command[],
    receiver: Receiver,
    waits?: readonly number[],
  ): Map<RoutedUpstream, Sent[]> {
    const groups = new Map<RoutedUpstream, Sent[]>();
    const add = (sent: Sent) => {
      const group = groups.get(sent.route);
      if (group) group.push(sent);
      else groups.set(sent.route, [sent]);
    };
    commands.forEach((each, tag) => {
      const { name } = each;
      const wait = waits?.[tag] ?? 0;
      if ((name === "WAIT" || name === "WAITAOF") && groups.size > 0) {
        // WAIT concerns the writes of its own connection: those of every route that was written to.
        const merge = new Merge(receiver, tag, groups.size, combiners.agg_min, false);
        [...groups.keys()].forEach((route, part) => {
          add({ route, command: each, receiver: merge, tag: part, name, wait });
        });
        return;
      }
      const found = findRoute(this.#routes, each);
      if ("error" in found) receiver.onReply(found.error, tag);
      else add({ route: found.route, command: found.command, receiver, tag, name: found.name, wait });
    });
    return groups;
  }
}

/** Passes replies on, with the prefix at the keys that they name. */
class RoutedReplies implements Receiver {
  constructor(readonly sent: readonly Sent[]) {}

  get cancelled(): boolean {
    return this.sent[0]!.receiver.cancelled;
  }

  onReply(reply: Buffer, at: number): void {
    const { receiver, route, name, tag } = this.sent[at]!;
    receiver.onReply(route.strip ? unstripped(name, reply, route.prefix) : reply, tag);
  }

  onLarge(at: number, first: number): ReplyStream | null {
    const { receiver, route, tag } = this.sent[at]!;
    return route.strip ? null : (receiver.onLarge?.(tag, first) ?? null);
  }

  onFailure(failure: Parameters<Receiver["onFailure"]>[0], at: number): void {
    const { receiver, tag } = this.sent[at]!;
    receiver.onFailure(failure, tag);
  }
}

/** Returns the reply of EXEC with the prefix restored on the keys that each reply names. */
function restored(commands: readonly Found[], reply: Buffer, prefix: Buffer): Buffer {
  const elements = elementsOf(reply);
  if (elements.length === 0) return reply;
  return arrayOf(elements.map((element, at) => unstripped(commands[at]!.name, element, prefix)));
}
