import { UpstreamFailure } from "../upstream/failure.js";
import type { FeedOptions } from "../upstream/feed.js";
import { Monitor } from "../upstream/monitor.js";
import { type Listener, type Sort, Subscriptions } from "../upstream/subscriptions.js";
import type { Cancel } from "../upstream/upstream.js";
import { BadRequest } from "./bad-request.js";
import { confirmationFrame, lineFrame, messageFrame } from "./event-frames.js";
import { EventStream } from "./event-stream.js";
import type { Exchange } from "./exchange.js";
import { unescapeBytes } from "./path-words.js";

export interface StreamsOptions {
  /** How connections to Redis are made. */
  readonly upstream: FeedOptions;
  /** Streams open at a time before more are refused. */
  readonly maxStreams: number;
  /** Bytes that a reader may be behind before it is cut off. */
  readonly maxBuffer: number;
  /** How often a stream shows that it is alive, in ms. */
  readonly heartbeat: number;
}

/** The event streams: `/subscribe/<channel>...`, `/psubscribe/<pattern>...` and `/monitor`. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #subscriptions: Subscriptions;
  readonly #monitor: Monitor;
  readonly #open = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;
  /** Streams ended because their reader was too slow. */
  cut = 0;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#subscriptions = new Subscriptions({ ...options.upstream, encode: messageFrame });
    this.#monitor = new Monitor({ ...options.upstream, encode: lineFrame });
    this.#timer = setInterval(() => this.#beat(), options.heartbeat).unref();
  }

  /** Streams open now. */
  get open(): number {
    return this.#open.size;
  }

  /** Connections to Redis that serve them. */
  get upstreamConnections(): number {
    return this.#subscriptions.connections + this.#monitor.connections;
  }

  /** What answers a request for this path, or null when it is not the path of a stream. */
  match(path: string): ((exchange: Exchange) => void) | null {
    // Most paths are none of these, and told from them by one letter.
    if (path.length < 8 || !"mpsMPS".includes(path[1]!)) return null;
    if (/^\/monitor$/i.test(path)) {
      const first = [lineFrame('"OK"')];
      return (exchange) => this.#start(exchange, first, (listener) => this.#monitor.add(listener));
    }
    const [, word, list] = /^\/(p?subscribe)\/(.*)$/i.exec(path) ?? [];
    if (word === undefined) return null;
    const sort = word.toLowerCase() as Sort;
    return (exchange) => {
      const names = namesIn(list!);
      const first = names.map((name, at) => confirmationFrame(sort, name, at + 1));
      this.#start(exchange, first, (listener) => this.#subscriptions.add(sort, names, listener));
    };
  }

  /** Ends every stream. */
  close(): void {
    clearInterval(this.#timer);
    this.#subscriptions.close();
    this.#monitor.close();
  }

  #start(exchange: Exchange, first: readonly Buffer[], add: (listener: Listener) => Cancel): void {
    const { maxStreams, maxBuffer } = this.#options;
    if (this.#open.size >= maxStreams) {
      exchange.failure(new UpstreamFailure("full", `all ${maxStreams} event streams are in use`));
      return;
    }
    if (exchange.gone) return;
    const stream = new EventStream(exchange, first, maxBuffer, () => this.cut++);
    this.#open.add(stream);
    const cancel = add(stream);
    exchange.onOver(() => {
      this.#open.delete(stream);
      cancel();
    });
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
  }
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
