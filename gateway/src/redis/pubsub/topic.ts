/** The kind of a topic, by the command that subscribes to it: a channel, a pattern, or a sharded channel. */
export type Sort = "subscribe" | "psubscribe" | "ssubscribe";

/** A channel, or a pattern. */
export interface TopicName {
  readonly sort: Sort;
  readonly name: Buffer;
}

export function keyOf(sort: Sort, name: Buffer): string {
  return `${sort} ${name.toString("latin1")}`;
}
