import type { SubscriberEvents, SubscriberMessage } from "./events.js";

/**
 * Subscriptions to channels or patterns. Messages arrive as events, or in a loop:
 * `for await (const { channel, message } of subscriber)`. Each subscription is a request that stays open and keeps the process alive.
 *
 * A lost stream is reopened, with growing pauses, until `unsubscribe()`. Messages that are published meanwhile are missed. A `gap`
 * event reports this once the subscription works again.
 *
 * A subscription that fails, such as with a wrong token or for an unreachable endpoint, ends with an `error` event. Loops throw the
 * error, and `ready` rejects with it. If nothing handles the error, it is an unhandled rejection, which ends a Node process.
 */
export interface Subscriber<TMessage = any> extends AsyncIterable<SubscriberMessage<TMessage>> {
  /** Resolves once every channel is subscribed to. Rejects if a subscription fails or is cancelled before. */
  readonly ready: Promise<void>;
  /** Calls `listener` with every event of this type. An error that a listener throws becomes an unhandled rejection. */
  on<T extends keyof SubscriberEvents<TMessage>>(
    type: T,
    listener: (event: SubscriberEvents<TMessage>[T]) => void,
  ): this;
  /** Removes every listener of every event. */
  removeAllListeners(): void;
  /** Returns the channels or patterns, including those that are not subscribed to yet. */
  getSubscribedChannels(): string[];
  /**
   * Unsubscribes from a channel or pattern, or from several. By default from all, and every listener is removed. Loops end with the last
   * subscription. Resolves when the requests have ended.
   */
  unsubscribe(names?: string | readonly string[]): Promise<void>;
  /**
   * Yields the messages from now on. Leaving the loop ends every subscription. If a loop falls a thousand messages or 1 MB behind,
   * the streams are not read. The server may then disconnect, which shows as a gap.
   */
  [Symbol.asyncIterator](): AsyncGenerator<SubscriberMessage<TMessage>, void, undefined>;
}
