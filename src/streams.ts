/**
 * Streams that outlive a function: readers that continue after the last id they read, and a writer that sends entries in batches.
 *
 * @module warmline/streams
 */

export type { FollowedEntry } from "./streams/entry.js";
export { type FollowOptions, follow } from "./streams/follow.js";
export { GapError } from "./streams/position.js";
export { type ProduceOptions, produce, type StreamChunk } from "./streams/produce.js";
