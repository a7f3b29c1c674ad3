import type { SubscribeMethod } from "../features/subscribe/follow-stream.js";

/** A channel, a pattern or a sharded channel. */
export interface TopicName {
  readonly method: SubscribeMethod;
  readonly name: string;
}

/** Returns the unique key of a topic. */
export const keyOf = (method: string, name: string) => `${method} ${name}`;
