import type { Endpoint } from "../config.js";
import { ArgumentError, ConfigError } from "../errors.js";
import type { Settings } from "../settings.js";
import { TextBulk } from "../wire/bytes.js";
import { fromBase64 } from "../wire/json.js";
import type { SubscriberEvents, SubscriberMessage } from "./events.js";
import { type Failure, failureOf } from "./failure.js";
import type { Sort } from "./follow.js";
import type { Frame } from "./frame.js";
import type * as Streams from "./streams.js";

/** Messages that a loop may be behind before the streams are read no further. */
const MOST_WAITING = 1_000;
/** How often it is looked whether such a loop has caught up, in ms. */
const LOOK_EVERY = 5;

interface Subscription {
  readonly controller: AbortController;
  /** Resolves when its request has ended for good. */
  over?: Promise<void>;
}

/** One loop over the messages. */
interface Loop {
  /** Each gives a message, or throws what ends the loop. */
  readonly waiting: (() => SubscriberMessage<any>)[];
  wake(): void;
}

/**
 * Subscriptions to channels or patterns, each a request of its own that stays open: by events, or by
 * `for await (const { channel, message } of subscriber)`. The process stays alive while there is one.
 *
 * A stream that is lost is opened again, with growing pauses, until `unsubscribe()`. What is published meanwhile is
 * missed, and a `gap` event says so once the subscription stands again.
 *
 * A subscription that can't be had (a wrong token, an endpoint that can't be reached) is given up with an `error`
 * event, which loops throw. `ready` rejects with it too. As with an EventEmitter, an error that nobody listens for,
 * loops over or awaits is not swallowed: it is an unhandled rejection, and ends a Node process.
 */
export class Subscriber<TMessage = any> implements AsyncIterable<SubscriberMessage<TMessage>> {
  /** Resolves once every channel is subscribed to; rejects with what prevented one, or ended it before. */
  readonly ready: Promise<void>;
  readonly #sort: Sort;
  readonly #load: () => Promise<typeof Streams>;
  readonly #endpoint: Endpoint | ConfigError;
  readonly #settings: Settings;
  readonly #failure: Failure;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #listeners = new Map<string, Set<(event: any) => void>>();
  readonly #loops = new Set<Loop>();
  readonly #forgetSignal: () => void;

  /** @throws ArgumentError when a name can't be sent. */
  constructor(
    sort: Sort,
    names: string | readonly string[],
    load: () => Promise<typeof Streams>,
    endpoint: Endpoint | ConfigError,
    settings: Settings,
  ) {
    this.#sort = sort;
    this.#load = load;
    this.#endpoint = endpoint;
    this.#settings = settings;
    this.#failure = failureOf(sort.toUpperCase());
    const list = [...new Set([names].flat())];
    const paths = (list.length > 0 ? list : [""]).map((name) => this.#pathOf(name));
    this.ready = Promise.all(list.map((name, i) => this.#start(name, paths[i]!))).then(() => {});
    const signal = typeof settings.signal === "function" ? settings.signal() : settings.signal;
    const onAbort = () => {
      this.#tellLoops(() => {
        throw signal!.reason;
      });
      this.#end(this.getSubscribedChannels(), signal!.reason);
    };
    this.#forgetSignal = () => signal?.removeEventListener("abort", onAbort);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  }

  /** Calls `listener` with every event of this type. A listener that throws is an unhandled rejection. */
  on<T extends keyof SubscriberEvents<TMessage>>(
    type: T,
    listener: (event: SubscriberEvents<TMessage>[T]) => void,
  ): this {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
    return this;
  }

  /** Removes every listener of every event. */
  removeAllListeners(): void {
    this.#listeners.clear();
  }

  /** The channels or patterns that are subscribed to, or about to be. */
  getSubscribedChannels(): string[] {
    return [...this.#subscriptions.keys()];
  }

  /**
   * Gives up these channels or patterns; by default all, and every listener. With the last, loops end. Resolves when
   * the requests have ended.
   */
  async unsubscribe(names?: readonly string[]): Promise<void> {
    const reason = this.#failure("ConnectionError", "given up by unsubscribe()");
    const ended = this.#end(names ?? this.getSubscribedChannels(), reason);
    if (!names) this.removeAllListeners();
    await Promise.all(ended);
  }

  /**
   * The messages from now on. Leaving the loop gives up every subscription. A loop that falls behind by a thousand
   * messages holds up the streams, and the server may cut off whoever does not read: that shows as a gap.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<SubscriberMessage<TMessage>, void, undefined> {
    const loop: Loop = { waiting: [], wake() {} };
    this.#loops.add(loop);
    try {
      while (this.#subscriptions.size > 0 || loop.waiting.length > 0) {
        for (const take of loop.waiting.splice(0)) yield take();
        if (loop.waiting.length > 0 || this.#subscriptions.size === 0) continue;
        await new Promise<void>((resolve) => {
          loop.wake = resolve;
        });
      }
    } finally {
      this.#loops.delete(loop);
      await this.unsubscribe();
    }
  }

  /** @returns what settles when it stands, or can't. */
  #start(name: string, path: string): Promise<void> {
    const controller = new AbortController();
    const subscription: Subscription = { controller };
    this.#subscriptions.set(name, subscription);
    return new Promise((resolve, reject) => {
      subscription.over = this.#run(name, path, controller.signal, resolve).catch(reject);
    });
  }

  /** Rejects, sooner or later. */
  async #run(name: string, path: string, signal: AbortSignal, onStanding: () => void): Promise<void> {
    let stands = false;
    const endpoint = this.#endpoint;
    try {
      if (endpoint instanceof ConfigError) throw endpoint;
      const { follow } = await this.#load();
      const request = { endpoint, path, failure: this.#failure, signal };
      for await (const frames of follow(this.#sort, name, request, this.#settings)) {
        for (const frame of frames) {
          // A listener may have given it up.
          signal.throwIfAborted();
          if (frame.kind === this.#sort) {
            stands = true;
            onStanding();
          }
          this.#onFrame(name, frame);
        }
        while (!signal.aborted && [...this.#loops].some(({ waiting }) => waiting.length > MOST_WAITING)) {
          await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
        }
      }
    } catch (error) {
      if (!signal.aborted) this.#subscriptions.delete(name);
      if (signal.aborted || this.#raise(error)) this.ready.catch(() => {});
      else if (stands) unhandled(error);
      this.#changed();
      throw error;
    }
  }

  #onFrame(name: string, { kind, payload, exact, ...frame }: Frame): void {
    const read = (text: string) => (exact ? fromBase64(text) : new TextBulk(text));
    const channel = read(frame.channel).text();
    if (!kind.endsWith("message")) {
      this.#emit(kind, payload === undefined ? { channel } : Number(read(payload).text()));
      return;
    }
    let message: unknown;
    try {
      message = this.#settings.codec.decode(read(payload!));
    } catch (error) {
      if (!this.#raise(error)) unhandled(error);
      return;
    }
    const event = kind === "message" ? { channel, message } : { pattern: name, channel, message };
    this.#emit(kind, event);
    this.#emit(`${kind}:${name}`, event);
    this.#tellLoops(() => event as SubscriberMessage<any>);
  }

  /** @returns whether anybody listens. */
  #emit(type: string, event: unknown): boolean {
    const listeners = [...(this.#listeners.get(type) ?? [])];
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        unhandled(error);
      }
    }
    return listeners.length > 0;
  }

  /** Tells of an error. @returns whether anybody was there to be told. */
  #raise(error: unknown): boolean {
    this.#tellLoops(() => {
      throw error;
    });
    return this.#emit("error", error) || this.#loops.size > 0;
  }

  #tellLoops(take: Loop["waiting"][number]): void {
    for (const loop of this.#loops) {
      loop.waiting.push(take);
      loop.wake();
    }
  }

  #end(names: readonly string[], reason: unknown): (Promise<void> | undefined)[] {
    const ended: (Promise<void> | undefined)[] = [];
    for (const name of names) {
      const subscription = this.#subscriptions.get(name);
      if (!subscription) continue;
      this.#subscriptions.delete(name);
      subscription.controller.abort(reason);
      ended.push(subscription.over);
      this.#emit(this.#sort.replace("sub", "unsub"), this.#subscriptions.size);
    }
    this.#changed();
    return ended;
  }

  /** With the last subscription gone, nothing else is kept. */
  #changed(): void {
    if (this.#subscriptions.size > 0) return;
    this.#forgetSignal?.();
    for (const loop of this.#loops) loop.wake();
  }

  #pathOf(name: string): string {
    // A path swallows dots, however they are written.
    if (typeof name === "string" && name.isWellFormed() && !/^\.{0,2}$/.test(name)) {
      return `/${this.#sort}/${encodeURIComponent(name)}`;
    }
    const command = this.#sort.toUpperCase();
    const message = `${command}: give channels that are well-formed text and neither empty, . nor ..`;
    throw new ArgumentError(message, { command });
  }
}

/** What happens to an error that is nobody's: in Node it ends the process. */
function unhandled(error: unknown): void {
  void Promise.reject(error);
}
