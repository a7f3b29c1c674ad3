import { ArgumentError, ConnectionError } from "../../errors.js";
import type { ConfiguredClient } from "../../execution/client-context.js";
import { getSignal } from "../../execution/limits.js";
import { bulkOf } from "../../protocol/json.js";
import { onAbort } from "../../util/abort.js";
import { atCaller, rejectAtCaller } from "../../util/at-caller.js";
import { sleep } from "../../util/timers.js";
import { getStreamEndpoint } from "./event-stream.js";
import type { SubscriberMessage } from "./events.js";
import { followStream, type SubscribeMethod } from "./follow-stream.js";
import type { Frame } from "./frame.js";
import type { Subscriber } from "./subscriber.js";

/** While a loop is behind by more than this number of messages, or of their characters, the streams are not read. */
const MAX_QUEUED_MESSAGES = 1_000;
const MAX_QUEUED_SIZE = 1_000_000;
/** Interval in ms of the check whether a slow loop has caught up. */
const CHECK_INTERVAL = 5;

interface Subscription {
  readonly controller: AbortController;
  /** Resolves when the subscription's last request has ended. */
  readonly over: Promise<void>;
}

interface Queued {
  /** Returns a message, or throws the error that ends the loop. */
  readonly take: () => SubscriberMessage<any>;
  /** Number of characters of the message. */
  readonly size: number;
}

/** One loop over the messages. */
interface Loop {
  readonly queue: Queued[];
  /** Number of characters in the queue. */
  size: number;
  wake(): void;
}

class Subscriptions implements Subscriber {
  readonly ready: Promise<void>;
  readonly #client: ConfiguredClient;
  readonly #method: SubscribeMethod;
  /** The user's signal. Rejects if its function fails. */
  readonly #signal: Promise<AbortSignal | undefined>;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #listeners = new Map<string, Set<(event: any) => void>>();
  readonly #loops = new Set<Loop>();
  #forgetSignal: (() => void) | undefined;
  /** The last error that was delivered to loops. They throw it. */
  #thrown: unknown;

  constructor(client: ConfiguredClient, method: SubscribeMethod, names: readonly string[]) {
    this.#client = client;
    this.#method = method;
    // Called now, in the asynchronous context of the caller.
    this.#signal = (async () => getSignal(client.settings))();
    this.#signal.then((signal) => this.#endWith(signal), noop);
    this.ready = Promise.all(names.map((name) => this.#start(name))).then(noop, (error) => {
      // An error that a loop throws has the stack of the loop.
      if (this.#thrown === error) throw error;
      return rejectAtCaller(error);
    });
  }

  #endWith(signal: AbortSignal | undefined): void {
    if (!signal || this.#subscriptions.size === 0) return;
    this.#forgetSignal = onAbort(signal, () => {
      this.#pushToLoops(() => {
        throw signal.reason;
      });
      this.#end(this.getSubscribedChannels(), signal.reason);
    });
  }

  on(type: string, listener: (event: any) => void): this {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
    return this;
  }

  removeAllListeners(): void {
    this.#listeners.clear();
  }

  getSubscribedChannels(): string[] {
    return [...this.#subscriptions.keys()];
  }

  async unsubscribe(names?: string | readonly string[]): Promise<void> {
    const command = this.#method.toUpperCase();
    const reason = new ConnectionError(`${command}: cancelled by unsubscribe()`, { command });
    const ended = this.#end([names ?? this.getSubscribedChannels()].flat(), reason);
    if (!names) this.removeAllListeners();
    await Promise.all(ended);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SubscriberMessage<any>, void, undefined> {
    const loop: Loop = { queue: [], size: 0, wake() {} };
    this.#loops.add(loop);
    try {
      while (this.#subscriptions.size > 0 || loop.queue.length > 0) {
        const queued = loop.queue.shift();
        if (queued) {
          loop.size -= queued.size;
          yield queued.take();
          continue;
        }
        await new Promise<void>((resolve) => {
          loop.wake = resolve;
        });
      }
    } finally {
      this.#loops.delete(loop);
      await this.unsubscribe();
    }
  }

  /** Starts a subscription. Resolves when it is confirmed, rejects if it fails or ends. */
  #start(name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      const over = this.#run(name, controller.signal, resolve).catch(reject);
      this.#subscriptions.set(name, { controller, over });
    });
  }

  /** Runs a subscription to its end, and always rejects. */
  async #run(name: string, signal: AbortSignal, onConfirmed: () => void): Promise<void> {
    let confirmed = false;
    const method = this.#method;
    const client = this.#client;
    const command = method.toUpperCase();
    try {
      // Listeners are added before the first event.
      await this.#signal;
      const endpoint = getStreamEndpoint(client, command);
      const request = { ...endpoint, path: `/${method}/${encodeURIComponent(name)}`, command, signal };
      for await (const frames of followStream(method, name, request, client.settings)) {
        for (const frame of frames) {
          // A listener may have unsubscribed.
          signal.throwIfAborted();
          if (frame.kind === method) {
            confirmed = true;
            onConfirmed();
          }
          this.#onFrame(name, frame);
        }
        while (!signal.aborted && [...this.#loops].some(isBehind)) {
          await sleep(CHECK_INTERVAL);
        }
      }
    } catch (error) {
      if (!signal.aborted) this.#subscriptions.delete(name);
      if (signal.aborted || this.#raise(error)) this.ready.catch(noop);
      else if (confirmed) unhandled(error);
      this.#endAfterLast();
      throw error;
    }
  }

  #onFrame(name: string, { kind, payload, exact, ...frame }: Frame): void {
    const read = (text: string) => bulkOf(text, exact);
    const channel = read(frame.channel).text();
    if (!kind.endsWith("message")) {
      this.#emit(kind, payload === undefined ? { channel } : Number(read(payload).text()));
      return;
    }
    let message: unknown;
    try {
      message = this.#client.settings.codec.decode(read(payload!));
    } catch (error) {
      if (!this.#raise(error)) unhandled(error);
      return;
    }
    const event = { ...(kind === "pmessage" && { pattern: name }), channel, message };
    this.#emit(kind, event);
    this.#emit(`${kind}:${name}`, event);
    this.#pushToLoops(() => event as SubscriberMessage<any>, payload!.length);
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

  /** Delivers an error to loops and listeners. @returns whether there was a loop or a listener. */
  #raise(error: unknown): boolean {
    if (this.#loops.size > 0) this.#thrown = error;
    this.#pushToLoops(() => {
      throw atCaller(error, Subscriptions.prototype[Symbol.asyncIterator]);
    });
    return this.#emit("error", error) || this.#loops.size > 0;
  }

  #pushToLoops(take: Queued["take"], size = 0): void {
    for (const loop of this.#loops) {
      loop.queue.push({ take, size });
      loop.size += size;
      loop.wake();
    }
  }

  #end(names: readonly string[], reason: unknown): Promise<void>[] {
    const ended: Promise<void>[] = [];
    for (const name of names) {
      const subscription = this.#subscriptions.get(name);
      if (!subscription) continue;
      this.#subscriptions.delete(name);
      subscription.controller.abort(reason);
      ended.push(subscription.over);
      this.#emit(this.#method.replace("sub", "unsub"), this.#subscriptions.size);
    }
    this.#endAfterLast();
    return ended;
  }

  /** Ends the loops if no subscription is left. */
  #endAfterLast(): void {
    if (this.#subscriptions.size > 0) return;
    this.#forgetSignal?.();
    for (const loop of this.#loops) loop.wake();
  }
}

/** @throws ArgumentError if a name can't be sent. */
export function createSubscriber(
  client: ConfiguredClient,
  method: SubscribeMethod,
  channels: string | readonly string[],
): Subscriber {
  const names = [...new Set([channels].flat())];
  // URL parsers remove the segments "." and "..", also percent-encoded.
  const isSendable = (name: unknown) =>
    typeof name === "string" && name.isWellFormed() && !/^\.{0,2}$/.test(name);
  if (names.length === 0 || !names.every(isSendable)) {
    const command = method.toUpperCase();
    const message = `${command}: pass channels: non-empty, well-formed text other than "." and ".."`;
    throw new ArgumentError(message, { command });
  }
  return new Subscriptions(client, method, names);
}

const isBehind = ({ queue, size }: Loop) => queue.length > MAX_QUEUED_MESSAGES || size > MAX_QUEUED_SIZE;

const noop = () => {};

/** Rethrows an error without a listener as an unhandled rejection, which ends the process in Node. */
function unhandled(error: unknown): void {
  void Promise.reject(error);
}
