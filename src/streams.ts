/**
 * Streams that outlive a function: readers that go on by id, and a writer that batches.
 *
 * @module warmline/streams
 */

export type { FollowedEntry } from "./streams/entry.js";
export { type FollowOptions, follow } from "./streams/follow.js";
export { GapError } from "./streams/gap-error.js";
export { type ProduceOptions, produce, type StreamChunk } from "./streams/produce.js";
