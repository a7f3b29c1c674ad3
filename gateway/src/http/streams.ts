import type { Grant } from "../access/grant.js";
import type { Quota } from "../access/quota.js";
import { UpstreamFailure } from "../upstream/failure.js";
import { Monitor } from "../upstream/monitor.js";
import type { Sort } from "../upstream/subscription-feed.js";
import { type ChangingListener, Subscriptions } from "../upstream/subscriptions.js";
import type { Cancel, Upstream } from "../upstream/upstream.js";
import { BadRequest } from "./bad-request.js";
import { confirmationFrame, lineFrame, messageFrame } from "./event-frames.js";
import { EventStream } from "./event-stream.js";
import type { Exchange } from "./exchange.js";
import { unescapeBytes } from "./path-words.js";

export interface StreamsOptions {
  /** Streams open at a time before more are refused. */
  readonly maxStreams: number;
  /** Bytes that a reader may be behind before it is cut off. */
  readonly maxBuffer: number;
  /** How often a stream shows that it is alive, in ms. */
  readonly heartbeat: number;
}

/** What one upstream's streams hang on: each channel is listened to once, however many readers it has. */
interface Feeds {
  readonly subscriptions: Subscriptions;
  readonly monitor: Monitor;
}

/** The event streams: `/subscribe/<channel>...`, `/psubscribe/<pattern>...`, `/ssubscribe/<channel>...` and `/monitor`. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #feeds = new Map<Upstream, Feeds>();
  readonly #open = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;
  /** Streams ended because their reader was too slow. */
  cut = 0;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#beat(), options.heartbeat).unref();
  }

  /** Streams open now. */
  get open(): number {
    return this.#open.size;
  }

  /** Connections to Redis that serve them. */
  get upstreamConnections(): number {
    let connections = 0;
    for (const { subscriptions, monitor } of this.#feeds.values())
      connections += subscriptions.connections + monitor.connections;
    return connections;
  }

  /** What answers a request for this path, or null when it is not the path of a stream. */
  match(path: string, grant: Grant): ((exchange: Exchange) => void) | null {
    // Most paths are none of these, and told from them by one letter.
    if (path.length < 8 || !"mpsMPS".includes(path[1]!)) return null;
    if (/^\/monitor$/i.test(path)) {
      const first = [lineFrame('"OK"')];
      return (exchange) => {
        allow(grant.streamRefusal("monitor", []));
        const { monitor } = this.#feedsOf(grant.upstream);
        this.#start(exchange, grant.quota, first, (listener) => monitor.add(listener));
      };
    }
    const [, word, list] = /^\/([ps]?subscribe)\/(.*)$/i.exec(path) ?? [];
    if (word === undefined) return null;
    const sort = word.toLowerCase() as Sort;
    return (exchange) => {
      const names = namesIn(list!);
      allow(grant.streamRefusal(sort, names));
      const { subscriptions } = this.#feedsOf(grant.upstream);
      const first = names.map((name, at) => confirmationFrame(sort, name, at + 1));
      this.#start(exchange, grant.quota, first, (listener) => {
        const subscription = subscriptions.add(
          names.map((name) => ({ sort, name })),
          listener,
        );
        return () => subscription.cancel();
      });
    };
  }

  /** Ends every stream. */
  close(): void {
    clearInterval(this.#timer);
    for (const { subscriptions, monitor } of this.#feeds.values()) {
      subscriptions.close();
      monitor.close();
    }
  }

  /** What is listened to as one user of Redis. */
  #feedsOf(upstream: Upstream): Feeds {
    let feeds = this.#feeds.get(upstream);
    if (!feeds) {
      // Users come and go.
      for (const [other, { subscriptions, monitor }] of this.#feeds) {
        if (subscriptions.isUnused && monitor.isUnused) this.#feeds.delete(other);
      }
      const { feedOptions } = upstream;
      feeds = {
        subscriptions: new Subscriptions({
          ...feedOptions,
          encode: messageFrame,
          sharding: () => upstream.sharding,
        }),
        monitor: new Monitor({ ...feedOptions, encode: lineFrame }),
      };
      this.#feeds.set(upstream, feeds);
    }
    return feeds;
  }

  #start(
    exchange: Exchange,
    quota: Quota,
    first: readonly Buffer[],
    add: (listener: ChangingListener) => Cancel,
  ): void {
    const { maxStreams, maxBuffer } = this.#options;
    if (this.#open.size >= maxStreams) {
      exchange.failure(new UpstreamFailure("full", `all ${maxStreams} event streams are in use`));
      return;
    }
    if (exchange.gone) return;
    quota.enterStream(first.length);
    const stream = new EventStream(exchange, first, maxBuffer, () => this.cut++);
    this.#open.add(stream);
    const cancel = add(stream);
    exchange.onOver(() => {
      this.#open.delete(stream);
      quota.leaveStream();
      cancel();
    });
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
  }
}

function allow(refusal: string | null): void {
  if (refusal !== null) throw new BadRequest(refusal);
}

/** The names in a path, each once, in their order. One slash at the end is ignored. */
function namesIn(list: string): Buffer[] {
  const segments = (list.endsWith("/") ? list.slice(0, -1) : list).split("/");
  const names = new Map(
    segments.map((segment) => {
      const name = unescapeBytes(segment, false);
      return [name.toString("latin1"), name];
    }),
  );
  names.delete("");
  if (names.size === 0) throw new BadRequest("ERR the path names no channel");
  return [...names.values()];
}
