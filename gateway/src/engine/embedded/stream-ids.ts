import type { RedisStreamData } from "js-redis-server/core";
import { firstNot } from "./collections/sorted-blocks.js";

export type StreamId = RedisStreamData["lastId"];
export type StreamEntries = RedisStreamData["entries"];

export const MAX_UINT64 = (1n << 64n) - 1n;
export const MIN_ID: StreamId = { ms: 0n, seq: 0n };

/** Reads an id such as `5-1`, or its milliseconds alone. Undefined for any other text. */
export function parseId(text: string): StreamId | undefined {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match) return undefined;
  const id = { ms: BigInt(match[1]!), seq: BigInt(match[2] ?? 0) };
  return id.ms > MAX_UINT64 || id.seq > MAX_UINT64 ? undefined : id;
}

export function isBefore(left: StreamId, right: StreamId): boolean {
  return left.ms < right.ms || (left.ms === right.ms && left.seq < right.seq);
}

/** The place of a stream's first entry whose id is not before this one. */
export function placeOf(entries: StreamEntries, id: StreamId): number {
  return firstNot(entries, (entry) => isBefore(entry.id, id));
}

/** The place of a stream's first entry whose id is after this one. */
export function placeAfter(entries: StreamEntries, id: StreamId): number {
  return firstNot(entries, (entry) => !isBefore(id, entry.id));
}

export function entryOf(entries: StreamEntries, id: StreamId): StreamEntries[number] | undefined {
  const found = entries[placeOf(entries, id)];
  return found && !isBefore(id, found.id) ? found : undefined;
}
