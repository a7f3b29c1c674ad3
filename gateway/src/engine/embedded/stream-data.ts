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

type Group = { readonly lastDeliveredId: StreamId; readonly entriesRead: number | null };

/** Whether entries have been deleted from a stream at an id or behind it. */
function hasDeletedFrom({ entries, maxDeletedEntryId: deleted }: RedisStreamData, id: StreamId): boolean {
  const [first] = entries;
  return first !== undefined && !isBefore(deleted, first.id) && !isBefore(deleted, id);
}

/** Returns how many entries had been added to a stream up to an id, its own entry included. Undefined if deleted entries hide it. */
function countUpTo(stream: RedisStreamData, id: StreamId): number | undefined {
  const { entries, entriesAdded, lastId, maxDeletedEntryId: deleted } = stream;
  if (entriesAdded === 0) return 0;
  if (isBefore(lastId, id)) return undefined;
  const [first] = entries;
  if (!first || !isBefore(id, lastId)) return entriesAdded;
  if (!isBefore(deleted, first.id) || isBefore(first.id, id)) return undefined;
  return entriesAdded - entries.length + (isBefore(id, first.id) ? 0 : 1);
}

/** Returns how many entries of a stream a group has not read yet. Undefined if deleted entries hide it. */
export function lagOf(stream: RedisStreamData, { entriesRead, lastDeliveredId }: Group): number | undefined {
  if (stream.entriesAdded === 0) return 0;
  const isCounted = entriesRead !== null && !hasDeletedFrom(stream, lastDeliveredId);
  const read = isCounted ? entriesRead : countUpTo(stream, lastDeliveredId);
  return read === undefined ? undefined : stream.entriesAdded - read;
}

/** The number of entries that a group has read once it has got one more. Null if it is not known. */
export function readAfter(stream: RedisStreamData, entriesRead: number | null, id: StreamId): number | null {
  if (entriesRead !== null && !hasDeletedFrom(stream, id)) return entriesRead + 1;
  return countUpTo(stream, id) ?? null;
}
