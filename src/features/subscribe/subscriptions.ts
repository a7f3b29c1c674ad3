import type { CommandExecutor } from "../../execution/executor.js";
import { getStreamEndpoint } from "./endpoint.js";
import type { SubscriberEvents, SubscriberMessage } from "./events.js";
import type { ErrorFactory } from "./failure.js";
import { followStream, type SubscribeMethod } from "./follow-stream.js";
import type { Frame } from "./frame.js";
import type { Listening } from "./subscriber.js";

/** Messages that a loop may be behind before the streams are read no further. */
const MAX_QUEUED_MESSAGES = 1_000;
/** How often it is looked whether such a loop has caught up, in ms. */
const CHECK_INTERVAL = 5;

interface Subscription {
  readonly controller: AbortController;
  /** Resolves when its request has ended for good. */
  over?: Promise<void>;
}

/** One loop over the messages. */
interface Loop {
  /** Each gives a message, or throws what ends the loop. */
  readonly queue: (() => SubscriberMessage<any>)[];
  wake(): void;
}

/** The implementation of a subscriber, once it is loaded. */
export class Subscriptions implements Listening {
  readonly ready: Promise<void>;
  readonly #executor: CommandExecutor;
  readonly #method: SubscribeMethod;
  readonly #onErrorDelivered: () => void;
  readonly #failure: ErrorFactory;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #listeners = new Map<string, Set<(event: any) => void>>();
  readonly #loops = new Set<Loop>();
  readonly #forgetSignal: () => void;

  /** @param onErrorDelivered called when an error that `ready` rejects with as well was delivered. */
  constructor(
    executor: CommandExecutor,
    method: SubscribeMethod,
    names: readonly string[],
    onErrorDelivered: () => void,
    signal: AbortSignal | undefined,
  ) {
    this.#executor = executor;
    this.#method = method;
    this.#onErrorDelivered = onErrorDelivered;
    this.#failure = executor.errorFactory(method.toUpperCase());
    this.ready = Promise.all(names.map((name) => this.#start(name))).then(() => {});
    const onAbort = () => {
      this.#pushToLoops(() => {
        throw signal!.reason;
      });
      this.#end(this.getSubscribedChannels(), signal!.reason);
    };
    this.#forgetSignal = () => signal?.removeEventListener("abort", onAbort);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  }

  on(type: keyof SubscriberEvents<any>, listener: (event: any) => void): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeAllListeners(): void {
    this.#listeners.clear();
  }

  getSubscribedChannels(): string[] {
    return [...this.#subscriptions.keys()];
  }

  async unsubscribe(names?: readonly string[]): Promise<void> {
    const reason = this.#failure("ConnectionError", "cancelled by unsubscribe()");
    const ended = this.#end(names ?? this.getSubscribedChannels(), reason);
    if (!names) this.removeAllListeners();
    await Promise.all(ended);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SubscriberMessage<any>, void, undefined> {
    const loop: Loop = { queue: [], wake() {} };
    this.#loops.add(loop);
    try {
      while (this.#subscriptions.size > 0 || loop.queue.length > 0) {
        for (const take of loop.queue.splice(0)) yield take();
        if (loop.queue.length > 0 || this.#subscriptions.size === 0) continue;
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
  #start(name: string): Promise<void> {
    const controller = new AbortController();
    const subscription: Subscription = { controller };
    this.#subscriptions.set(name, subscription);
    return new Promise((resolve, reject) => {
      subscription.over = this.#run(name, controller.signal, resolve).catch(reject);
    });
  }

  /** Rejects, sooner or later. */
  async #run(name: string, signal: AbortSignal, onStanding: () => void): Promise<void> {
    let stands = false;
    const failure = this.#failure;
    try {
      const endpoint = getStreamEndpoint(this.#executor, failure);
      const request = { endpoint, path: `/${this.#method}/${encodeURIComponent(name)}`, failure, signal };
      for await (const frames of followStream(this.#method, name, request, this.#executor.settings)) {
        for (const frame of frames) {
          // A listener may have given it up.
          signal.throwIfAborted();
          if (frame.kind === this.#method) {
            stands = true;
            onStanding();
          }
          this.#onFrame(name, frame);
        }
        while (!signal.aborted && [...this.#loops].some(({ queue }) => queue.length > MAX_QUEUED_MESSAGES)) {
          await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL));
        }
      }
    } catch (error) {
      if (!signal.aborted) this.#subscriptions.delete(name);
      if (signal.aborted || this.#raise(error)) this.#onErrorDelivered();
      else if (stands) unhandled(error);
      this.#changed();
      throw error;
    }
  }

  #onFrame(name: string, { kind, payload, exact, ...frame }: Frame): void {
    const read = (text: string) => this.#executor.bulk(text, exact);
    const channel = read(frame.channel).text();
    if (!kind.endsWith("message")) {
      this.#emit(kind, payload === undefined ? { channel } : Number(read(payload).text()));
      return;
    }
    let message: unknown;
    try {
      message = this.#executor.settings.codec.decode(read(payload!));
    } catch (error) {
      if (!this.#raise(error)) unhandled(error);
      return;
    }
    const event = kind === "message" ? { channel, message } : { pattern: name, channel, message };
    this.#emit(kind, event);
    this.#emit(`${kind}:${name}`, event);
    this.#pushToLoops(() => event as SubscriberMessage<any>);
  }

  /** @returns whether there is a listener. */
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

  /** Delivers an error to loops and listeners. @returns whether there was any. */
  #raise(error: unknown): boolean {
    this.#pushToLoops(() => {
      throw error;
    });
    return this.#emit("error", error) || this.#loops.size > 0;
  }

  #pushToLoops(take: Loop["queue"][number]): void {
    for (const loop of this.#loops) {
      loop.queue.push(take);
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
      this.#emit(this.#method.replace("sub", "unsub"), this.#subscriptions.size);
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
}

/** Rethrows an error without a listener as an unhandled rejection, which ends the process in Node. */
function unhandled(error: unknown): void {
  void Promise.reject(error);
}
