import type { SubscriberEvents, SubscriberMessage } from "./events.js";

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
export interface Subscriber<TMessage = any> extends AsyncIterable<SubscriberMessage<TMessage>> {
  /** Resolves once every channel is subscribed to; rejects with what prevented one, or ended it before. */
  readonly ready: Promise<void>;
  /** Calls `listener` with every event of this type. A listener that throws is an unhandled rejection. */
  on<T extends keyof SubscriberEvents<TMessage>>(
    type: T,
    listener: (event: SubscriberEvents<TMessage>[T]) => void,
  ): this;
  /** Removes every listener of every event. */
  removeAllListeners(): void;
  /** The channels or patterns that are subscribed to, or about to be. */
  getSubscribedChannels(): string[];
  /**
   * Gives up these channels or patterns; by default all, and every listener. With the last, loops end. Resolves when
   * the requests have ended.
   */
  unsubscribe(names?: readonly string[]): Promise<void>;
  /**
   * The messages from now on. Leaving the loop gives up every subscription. A loop that falls behind by a thousand
   * messages, or by 1 MB, holds up the streams, and the server may cut off a client that does not read: that shows as a gap.
   */
  [Symbol.asyncIterator](): AsyncGenerator<SubscriberMessage<TMessage>, void, undefined>;
}
