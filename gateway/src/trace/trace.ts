import type { Activity } from "../redis/activity.js";
import { observed, type Receiver } from "../redis/failure.js";
import type { TransactionReceiver, Upstream, Upstreams } from "../redis/upstream.js";
import type { Command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import type { CommandFeed } from "./command-feed.js";
import { describe } from "./traced-command.js";

/**
 * Returns the upstreams for the commands of clients: each request counts as a use of Redis, and each command is reported to `feed` while
 * that has a listener. All other members are those of the upstream.
 */
export function upstreamsForClients(
  upstreams: Upstreams,
  feed: CommandFeed | null,
  activity: Activity | undefined,
): Upstreams {
  if (!feed && !activity) return upstreams;
  const made = new WeakMap<Upstream, Upstream>();
  const wrap = (upstream: Upstream): Upstream => {
    const senders: Pick<Upstream, "send" | "sendAlone" | "transaction"> = {
      send(commands, receiver, deadline) {
        activity?.use();
        upstream.send(commands, tracing(receiver, commands, feed), deadline);
      },
      sendAlone(commands, waits, receiver, deadline) {
        activity?.use();
        return upstream.sendAlone(commands, waits, tracing(receiver, commands, feed), deadline);
      },
      transaction(commands, receiver, deadline) {
        activity?.use();
        return upstream.transaction(commands, tracingTransaction(receiver, commands, feed), deadline);
      },
    };
    return new Proxy(upstream, {
      get(target, name) {
        if (Object.hasOwn(senders, name)) return senders[name as keyof typeof senders];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  return {
    counters: upstreams.counters,
    of(user) {
      const upstream = upstreams.of(user);
      const wrapped = made.get(upstream) ?? wrap(upstream);
      made.set(upstream, wrapped);
      return wrapped;
    },
    [Symbol.iterator]: () => upstreams[Symbol.iterator](),
    close: () => upstreams.close(),
  };
}

/** Returns a function that reports to a feed how the command at a position ended: with an error code, or null. */
function createReporter(commands: readonly Command[], feed: CommandFeed, transaction: boolean) {
  const startedAt = performance.now();
  return (tag: number, error: string | null) =>
    feed.emit(describe(commands[tag]!, performance.now() - startedAt, error, transaction));
}

function tracing(receiver: Receiver, commands: readonly Command[], feed: CommandFeed | null): Receiver {
  if (!feed?.isWatched) return receiver;
  const report = createReporter(commands, feed, false);
  return {
    get cancelled() {
      return receiver.cancelled;
    },
    onReply(reply, tag) {
      receiver.onReply(reply, tag);
      report(tag, errorOf(reply));
    },
    onLarge(tag, first) {
      const stream = receiver.onLarge?.(tag, first);
      return stream ? observed(stream, (failure) => report(tag, failure?.code ?? null)) : null;
    },
    onFailure(failure, tag) {
      receiver.onFailure(failure, tag);
      report(tag, failure.code);
    },
  };
}

function tracingTransaction(
  receiver: TransactionReceiver,
  commands: readonly Command[],
  feed: CommandFeed | null,
): TransactionReceiver {
  if (!feed?.isWatched) return receiver;
  const report = createReporter(commands, feed, true);
  return {
    get cancelled() {
      return receiver.cancelled;
    },
    onExec(reply, refused) {
      receiver.onExec(reply, refused);
      for (const tag of commands.keys()) report(tag, errorOf(refused.get(tag) ?? reply));
    },
    onFailure(failure) {
      receiver.onFailure(failure);
      for (const tag of commands.keys()) report(tag, failure.code);
    },
  };
}

/** Returns the code of an error reply, without its text, which may contain data. Null for any other reply. */
function errorOf(reply: Buffer): string | null {
  return isError(reply) ? (/^[A-Z][A-Z0-9_]*/.exec(reply.toString("latin1", 1, 64))?.[0] ?? "ERR") : null;
}
