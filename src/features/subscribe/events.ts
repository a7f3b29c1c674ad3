/** A message, and the channel that it came on. */
export interface ChannelMessage<TMessage> {
  /** The channel's name. */
  channel: string;
  /** The published message, decoded by the client's codec. */
  message: TMessage;
}

/** A message, its channel, and the pattern that the channel matches. */
export interface PatternMessage<TMessage> extends ChannelMessage<TMessage> {
  /** The pattern. */
  pattern: string;
}

/** Payloads of a subscriber's events. */
export interface SubscriberEvents<TMessage> {
  /** A message on a channel. */
  message: ChannelMessage<TMessage>;
  /** A message on a channel that matches a pattern. */
  pmessage: PatternMessage<TMessage>;
  /** A message on a sharded channel. */
  smessage: ChannelMessage<TMessage>;
  /** A channel was subscribed to. The value is the number of subscriptions of its stream. */
  subscribe: number;
  /** A pattern was subscribed to. The value is the number of subscriptions of its stream. */
  psubscribe: number;
  /** A sharded channel was subscribed to. The value is the number of subscriptions of its stream. */
  ssubscribe: number;
  /** A channel was unsubscribed from. The value is the number of subscriptions left. */
  unsubscribe: number;
  /** A pattern was unsubscribed from. The value is the number of subscriptions left. */
  punsubscribe: number;
  /** A sharded channel was unsubscribed from. The value is the number of subscriptions left. */
  sunsubscribe: number;
  /** The subscription was interrupted and works again. Messages in between may have been missed. */
  gap: {
    /** The channel or pattern. */
    channel: string;
  };
  /** A subscription failed, or the codec can't decode a message. */
  error: Error;
  [name: `message:${string}`]: ChannelMessage<TMessage>;
  [name: `pmessage:${string}`]: PatternMessage<TMessage>;
  [name: `smessage:${string}`]: ChannelMessage<TMessage>;
}

/** A message in a loop over a subscriber. `pattern` is set if the subscriber listens to patterns. */
export type SubscriberMessage<TMessage> = ChannelMessage<TMessage> & { pattern?: string };
