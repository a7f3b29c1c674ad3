import type { RedisStreamData } from "js-redis-server/core";

type StreamId = RedisStreamData["lastId"];
type Group = { readonly lastDeliveredId: StreamId; readonly entriesRead: number | null };

function compare(left: StreamId, right: StreamId): number {
  if (left.ms !== right.ms) return left.ms < right.ms ? -1 : 1;
  return left.seq === right.seq ? 0 : left.seq < right.seq ? -1 : 1;
}

const isZero = ({ ms, seq }: StreamId) => ms === 0n && seq === 0n;

/** Whether entries have been deleted from a stream at an id or behind it. */
export function hasDeletedFrom(stream: RedisStreamData, id: StreamId): boolean {
  const { entries, maxDeletedEntryId: deleted } = stream;
  const first = entries[0];
  if (!first || isZero(deleted) || compare(first.id, deleted) > 0) return false;
  return compare(id, deleted) <= 0;
}

/** Returns how many entries had been added to a stream by an id, that one included. Undefined if deleted entries hide it. */
export function countUpTo(stream: RedisStreamData, id: StreamId): number | undefined {
  const { entries, entriesAdded, lastId, maxDeletedEntryId: deleted } = stream;
  if (entriesAdded === 0) return 0;
  const first = entries[0];
  if (!first && compare(id, lastId) <= 0) return entriesAdded;
  const toLast = compare(id, lastId);
  if (toLast === 0) return entriesAdded;
  if (!first || toLast > 0) return undefined;
  if (!isZero(deleted) && compare(deleted, first.id) >= 0) return undefined;
  const toFirst = compare(id, first.id);
  if (toFirst > 0) return undefined;
  return entriesAdded - entries.length + (toFirst === 0 ? 1 : 0);
}

/** Returns how many entries of a stream a group has not read yet. Undefined if deleted entries hide it. */
export function lagOf(stream: RedisStreamData, group: Group): number | undefined {
  if (stream.entriesAdded === 0) return 0;
  const { entriesRead, lastDeliveredId } = group;
  const isCounted = entriesRead !== null && !hasDeletedFrom(stream, lastDeliveredId);
  const read = isCounted ? entriesRead : countUpTo(stream, lastDeliveredId);
  return read === undefined ? undefined : stream.entriesAdded - read;
}

/** The number of entries that a group has read once it has got one more. Null if it is not known. */
export function readAfter(stream: RedisStreamData, entriesRead: number | null, id: StreamId): number | null {
  if (entriesRead !== null && !hasDeletedFrom(stream, id)) return entriesRead + 1;
  return countUpTo(stream, id) ?? null;
}
