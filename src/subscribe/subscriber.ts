import type { Endpoint } from "../config.js";
import { ArgumentError, type ConfigError, ConnectionError } from "../errors.js";
import type { Settings } from "../settings.js";
import type { SubscriberEvents, SubscriberMessage } from "./events.js";
import { follow, type Sort } from "./follow.js";
import type { Frame } from "./frame.js";

/** Messages that a loop may be behind before the streams are read no further. */
const MOST_WAITING = 1_000;

interface Subscription {
  readonly controller: AbortController;
  stands: boolean;
  /** Resolves when its request has ended for good. */
  over?: Promise<void>;
}

/** One loop over the messages. */
interface Loop {
  readonly waiting: SubscriberMessage<any>[];
  failure?: { readonly error: unknown };
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
  readonly #settings: Settings;
  readonly #signal: AbortSignal | undefined;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #listeners = new Map<string, Set<(event: any) => void>>();
  readonly #loops = new Set<Loop>();
  /** Calls those that wait until the loops have caught up. */
  #resume: (() => void)[] = [];

  /** @throws ArgumentError when a name can't be sent. */
  constructor(
    sort: Sort,
    names: string | readonly string[],
    endpoint: Endpoint | ConfigError,
    settings: Settings,
  ) {
    this.#sort = sort;
    this.#settings = settings;
    const { signal } = settings;
    this.#signal = typeof signal === "function" ? signal() : signal;
    const paths = new Map([names].flat().map((name) => [name, pathOf(sort, name)]));
    if (paths.size === 0) throw unusable(sort, "no channel is given");
    const standing = Array.from(paths, ([name, path]) => this.#start(name, path, endpoint));
    this.ready = Promise.all(standing).then(() => {});
    if (this.#signal?.aborted) this.#onAbort();
    else this.#signal?.addEventListener("abort", this.#onAbort);
  }

  /** Calls `listener` with every event of this type. A listener that throws is an unhandled rejection. */
  on<T extends keyof SubscriberEvents<TMessage>>(
    type: T,
    listener: (event: SubscriberEvents<TMessage>[T]) => void,
  ): this {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return this;
  }

  /** Calls `listener` no more. */
  off<T extends keyof SubscriberEvents<TMessage>>(
    type: T,
    listener: (event: SubscriberEvents<TMessage>[T]) => void,
  ): this {
    this.#listeners.get(type)?.delete(listener);
    return this;
  }

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
    const reason = new ConnectionError(`${this.#sort.toUpperCase()}: given up by unsubscribe()`, {
      outcome: "unsent",
    });
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
      for (;;) {
        while (loop.waiting.length > 0) yield* loop.waiting.splice(0);
        this.#caughtUp();
        if (loop.failure) throw loop.failure.error;
        if (this.#subscriptions.size === 0) return;
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
  #start(name: string, path: string, endpoint: Endpoint | ConfigError): Promise<void> {
    const controller = new AbortController();
    const subscription: Subscription = { controller, stands: false };
    this.#subscriptions.set(name, subscription);
    return new Promise((resolve, reject) => {
      subscription.over = follow({
        sort: this.#sort,
        name,
        path,
        endpoint,
        settings: this.#settings,
        signal: controller.signal,
        onFrame: (frame) => {
          if (frame.kind === this.#sort) {
            subscription.stands = true;
            resolve();
          }
          this.#dispatch(name, frame);
        },
        onGap: () => this.#emit("gap", { channel: name }),
        room: () => this.#room(controller.signal),
      }).catch((error) => {
        const asked = controller.signal.aborted;
        if (!asked) this.#subscriptions.delete(name);
        const heard = asked || this.#raise(error);
        if (heard) this.ready.catch(() => {});
        else if (subscription.stands) unhandled(error);
        this.#wake();
        reject(error);
      });
    });
  }

  #dispatch(name: string, { kind, channel, payload }: Frame): void {
    const isPattern = kind === "pmessage";
    if (kind !== "message" && !isPattern) {
      this.#emit(kind, Number(payload.text()));
      return;
    }
    let message: unknown;
    try {
      message = this.#settings.codec.decode(payload);
    } catch (error) {
      if (!this.#raise(error)) unhandled(error);
      return;
    }
    const event: SubscriberMessage<any> = isPattern
      ? { pattern: name, channel, message }
      : { channel, message };
    this.#emit(kind, event);
    this.#emit(`${kind}:${name}`, event);
    for (const loop of this.#loops) {
      loop.waiting.push(event);
      loop.wake();
    }
  }

  /** @returns whether anybody listens. */
  #emit(type: string, event: unknown): boolean {
    const listeners = this.#listeners.get(type) ?? [];
    let heard = false;
    for (const listener of listeners) {
      heard = true;
      try {
        listener(event);
      } catch (error) {
        unhandled(error);
      }
    }
    return heard;
  }

  /** Tells of an error. @returns whether anybody was there to be told. */
  #raise(error: unknown): boolean {
    for (const loop of this.#loops) {
      loop.failure ??= { error };
      loop.wake();
    }
    return this.#emit("error", error) || this.#loops.size > 0;
  }

  #onAbort = (): void => {
    const { reason } = this.#signal!;
    for (const loop of this.#loops) loop.failure ??= { error: reason };
    this.#end(this.getSubscribedChannels(), reason);
  };

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
    this.#wake();
    return ended;
  }

  /** Lets everything that waits see what has changed. */
  #wake(): void {
    if (this.#subscriptions.size === 0) this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#caughtUp();
    for (const loop of this.#loops) loop.wake();
  }

  async #room(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && [...this.#loops].some(({ waiting }) => waiting.length >= MOST_WAITING)) {
      await new Promise<void>((resolve) => this.#resume.push(resolve));
    }
  }

  #caughtUp(): void {
    for (const resume of this.#resume.splice(0)) resume();
  }
}

/** What happens to an error that is nobody's: in Node it ends the process. */
function unhandled(error: unknown): void {
  void Promise.reject(error);
}

function pathOf(sort: Sort, name: string): string {
  // A path swallows these, however they are written.
  if (typeof name !== "string" || /^\.{0,2}$/.test(name)) {
    throw unusable(sort, "a channel's name must be text, and not empty, . or ..");
  }
  try {
    return `/${sort}/${encodeURIComponent(name)}`;
  } catch {
    throw unusable(sort, "a channel's name is not well-formed Unicode");
  }
}

function unusable(sort: Sort, message: string): ArgumentError {
  const command = sort.toUpperCase();
  return new ArgumentError(`${command}: ${message}`, { outcome: "unsent", command });
}
