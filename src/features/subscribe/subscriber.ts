import { ArgumentError } from "../../errors.js";
import type { CommandExecutor } from "../../execution/executor.js";
import type { SubscriberEvents, SubscriberMessage } from "./events.js";
import type { SubscribeMethod } from "./follow-stream.js";

/** The implementation of a subscriber, loaded when one is created. */
export interface Listening extends AsyncIterable<SubscriberMessage<any>> {
  readonly ready: Promise<void>;
  on(type: string, listener: (event: any) => void): void;
  removeAllListeners(): void;
  getSubscribedChannels(): string[];
  unsubscribe(names?: readonly string[]): Promise<void>;
}

/**
 * Subscriptions to channels or patterns, each a request of its own that stays open: by events, or by
 * `for await (const { channel, message } of subscriber)`. The process stays alive while there is one.
 *
 * A stream that is lost is opened again, with growing pauses, until `unsubscribe()`. What is published meanwhile is
 * missed, and a `gap` event says so once the subscription stands again.
 *
 * A subscription that can't be had (a wrong token, an endpoint that can't be reached) is given up with an `error`
 * event, which loops throw. `ready` rejects with it too. As with an EventEmitter, an error without a listener,
 * loops over or awaits is not swallowed: it is an unhandled rejection, and ends a Node process.
 */
export class Subscriber<TMessage = any> implements AsyncIterable<SubscriberMessage<TMessage>> {
  /** Resolves once every channel is subscribed to; rejects with what prevented one, or ended it before. */
  readonly ready: Promise<void>;
  readonly #names: readonly string[];
  readonly #loading: Promise<Listening>;
  #listening: Listening | undefined;

  /** @param listen starts to listen. Its argument is to be called when an error that `ready` rejects with was delivered. */
  constructor(names: readonly string[], listen: (onErrorDelivered: () => void) => Promise<Listening>) {
    this.#names = names;
    this.#loading = listen(() => this.ready.catch(() => {}));
    this.ready = this.#loading.then((listening) => {
      this.#listening = listening;
      return listening.ready;
    });
  }

  /** Calls `listener` with every event of this type. A listener that throws is an unhandled rejection. */
  on<T extends keyof SubscriberEvents<TMessage>>(
    type: T,
    listener: (event: SubscriberEvents<TMessage>[T]) => void,
  ): this {
    this.#then((listening) => listening.on(type as string, listener));
    return this;
  }

  /** Removes every listener of every event. */
  removeAllListeners(): void {
    this.#then((listening) => listening.removeAllListeners());
  }

  /** The channels or patterns that are subscribed to, or about to be. */
  getSubscribedChannels(): string[] {
    return this.#listening?.getSubscribedChannels() ?? [...this.#names];
  }

  /**
   * Gives up these channels or patterns; by default all, and every listener. With the last, loops end. Resolves when
   * the requests have ended.
   */
  async unsubscribe(names?: readonly string[]): Promise<void> {
    await (this.#listening ?? (await this.#loading)).unsubscribe(names);
  }

  /**
   * The messages from now on. Leaving the loop gives up every subscription. A loop that falls behind by a thousand
   * messages holds up the streams, and the server may cut off a client that does not read: that shows as a gap.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<SubscriberMessage<TMessage>, void, undefined> {
    yield* this.#listening ?? (await this.#loading);
  }

  /** Calls `act` now, or once the implementation is loaded. If loading fails, `ready` rejects and loops throw. */
  #then(act: (listening: Listening) => void): void {
    if (this.#listening) act(this.#listening);
    else this.#loading.then(act, () => {});
  }
}

/** @throws ArgumentError when a name can't be sent. */
export function createSubscriber(
  executor: CommandExecutor,
  method: SubscribeMethod,
  channels: string | readonly string[],
): Subscriber {
  const names = [...new Set([channels].flat())];
  // A path swallows dots, however they are written.
  if (
    !names.length ||
    !names.every((name) => typeof name === "string" && name.isWellFormed() && !/^\.{0,2}$/.test(name))
  ) {
    const command = method.toUpperCase();
    const message = `${command}: pass at least one channel; a channel must be non-empty, well-formed text other than "." and ".."`;
    throw new ArgumentError(message, { command });
  }
  return new Subscriber(names, async (onErrorDelivered) => {
    const { signal } = executor;
    return new (await executor.loadLazyFeatures()).Subscriptions(
      executor,
      method,
      names,
      onErrorDelivered,
      signal,
    );
  });
}
