/** A message, and the channel that it came on. */
export interface ChannelMessage<TMessage> {
  /** The channel's name. */
  channel: string;
  /** The published message, decoded by the client's codec. */
  message: TMessage;
}

/** A message, its channel, and the pattern that the channel fits. */
export interface PatternMessage<TMessage> extends ChannelMessage<TMessage> {
  /** The pattern. */
  pattern: string;
}

/** Payloads of a subscriber's events. */
export interface SubscriberEvents<TMessage> {
  /** A message on a channel. */
  message: ChannelMessage<TMessage>;
  /** A message on a channel that fits a pattern. */
  pmessage: PatternMessage<TMessage>;
  /** A message on a sharded channel. */
  smessage: ChannelMessage<TMessage>;
  /** A channel was subscribed to; how many its stream has. */
  subscribe: number;
  /** A pattern was subscribed to; how many its stream has. */
  psubscribe: number;
  /** A sharded channel was subscribed to; how many its stream has. */
  ssubscribe: number;
  /** A channel was given up; how many are left. */
  unsubscribe: number;
  /** A pattern was given up; how many are left. */
  punsubscribe: number;
  /** A sharded channel was given up; how many are left. */
  sunsubscribe: number;
  /** The subscription was interrupted and stands again; messages between may have been missed. */
  gap: {
    /** The channel or pattern. */
    channel: string;
  };
  /** A subscription that can't be had, or a message that the codec can't read. */
  error: Error;
  [name: `message:${string}`]: ChannelMessage<TMessage>;
  [name: `pmessage:${string}`]: PatternMessage<TMessage>;
  [name: `smessage:${string}`]: ChannelMessage<TMessage>;
}

/** One item of iterating over a subscriber. `pattern` is set when it listens to patterns. */
export type SubscriberMessage<TMessage> = ChannelMessage<TMessage> & { pattern?: string };
