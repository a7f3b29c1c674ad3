import { RedisDatabase, type RedisStreamData } from "js-redis-server/core";
import { listValues } from "./collections/adopt.js";
import type { HashFields } from "./collections/hash-fields.js";
import { firstNot } from "./collections/sorted-blocks.js";
import { readAfter } from "./stream-lag.js";

// Commands of the library change a value through a tracker of its type. Some methods of the trackers read all of a collection to
// change a part of it, or expect an array; here they are replaced. The library does not export their classes.

type StreamId = RedisStreamData["lastId"];
type StreamEntry = RedisStreamData["entries"][number];
type StreamGroup = RedisStreamData["groups"] extends Map<string, infer G> ? G : never;

/** Members of all trackers: where they report changes. */
interface Tracked {
  readonly tracker: { markChanged(): void };
}

interface TrackedHash extends Tracked {
  readonly hash: { readonly fields: HashFields };
  setFieldExpiration(field: Buffer, expiresAt: number): boolean;
  deleteExpiredFields(): void;
}

interface TrackedList extends Tracked {
  readonly list: Parameters<typeof listValues>[0];
  setAt(index: number, value: Buffer): void;
  removeMatching(count: number, element: Buffer): number;
  trim(start: number, stop: number, options?: { forceDirty?: boolean }): { empty: boolean };
}

interface Delivered {
  readonly id: StreamId;
  readonly fields: Buffer[] | null;
}

interface TrackedStream extends Tracked {
  readonly stream: RedisStreamData;
  deleteEntries(
    ids: StreamId[],
    compare: (left: StreamId, right: StreamId) => number,
    onDelete: (entry: StreamEntry) => void,
  ): number;
  readGroup(
    group: StreamGroup,
    consumer: Buffer,
    id: StreamId | ">",
    options: { readonly count: number | null },
    now: number,
  ): Delivered[];
  claim(group: StreamGroup, consumer: Buffer, ids: StreamId[], ...rest: unknown[]): StreamEntry[];
}

export function isBefore(left: StreamId, right: StreamId): boolean {
  return left.ms < right.ms || (left.ms === right.ms && left.seq < right.seq);
}

/** The place of a stream's first entry whose id is not before this one. */
export function placeOf(entries: readonly StreamEntry[], id: StreamId): number {
  return firstNot(entries, (entry) => isBefore(entry.id, id));
}

/** The place of a stream's first entry whose id is after this one. */
export function placeAfter(entries: readonly StreamEntry[], id: StreamId): number {
  return firstNot(entries, (entry) => !isBefore(id, entry.id));
}

export function entryOf(entries: readonly StreamEntry[], id: StreamId): StreamEntry | undefined {
  const found = entries[placeOf(entries, id)];
  return found && !isBefore(id, found.id) ? found : undefined;
}

/** Replaces the trackers' methods, for all databases of this thread. */
export function replaceTrackedMethods(): void {
  const database = new RedisDatabase(0);
  const key = Buffer.from("k");
  const prototypeOf = (update: (change: (tracked: object) => object) => object) =>
    update((tracked) => Object.getPrototypeOf(tracked) as object);
  replaceHashMethods(prototypeOf((change) => database.updateHash(key, change)) as TrackedHash);
  replaceListMethods(prototypeOf((change) => database.updateList(key, change)) as TrackedList);
  replaceStreamMethods(prototypeOf((change) => database.updateStream(key, change)) as TrackedStream);
}

function replaceHashMethods(prototype: TrackedHash): void {
  const { setFieldExpiration } = prototype;
  prototype.setFieldExpiration = function (field, expiresAt) {
    this.hash.fields.markExpiring(field.toString("hex"));
    return setFieldExpiration.call(this, field, expiresAt);
  };
  prototype.deleteExpiredFields = function () {
    if (this.hash.fields.sweep(Date.now())) this.tracker.markChanged();
  };
}

function replaceListMethods(prototype: TrackedList): void {
  prototype.setAt = function (index, value) {
    listValues(this.list).setAt(index, value);
    this.tracker.markChanged();
  };
  prototype.removeMatching = function (count, element) {
    const values = listValues(this.list);
    const kept: Buffer[] = [];
    const fromEnd = count < 0;
    const limit = Math.abs(count) || Number.POSITIVE_INFINITY;
    const all = fromEnd ? values.slice(0).reverse() : values;
    let removed = 0;
    for (const value of all) {
      if (removed < limit && value.equals(element)) removed += 1;
      else kept.push(value);
    }
    if (removed === 0) return 0;
    values.replace(fromEnd ? kept.reverse() : kept);
    this.tracker.markChanged();
    return removed;
  };
  prototype.trim = function (start, stop, options) {
    const values = listValues(this.list);
    const { length } = values;
    if (start > stop) values.replace([]);
    else {
      values.splice(stop + 1);
      values.splice(0, start);
    }
    if (options?.forceDirty || values.length !== length) this.tracker.markChanged();
    return { empty: values.length === 0 };
  };
}

function replaceStreamMethods(prototype: TrackedStream): void {
  const { readGroup, claim } = prototype;
  prototype.deleteEntries = function (ids, _compare, onDelete) {
    const { entries } = this.stream;
    let count = 0;
    for (const id of ids) {
      const entry = entryOf(entries, id);
      if (!entry) continue;
      onDelete(entry);
      entries.splice(placeOf(entries, id), 1);
      count += 1;
    }
    if (count > 0) this.tracker.markChanged();
    return count;
  };
  prototype.readGroup = function (group, consumer, id, options, now) {
    const { entries } = this.stream;
    /** The library's method with a part of the entries. */
    const read = (part: StreamEntry[]) =>
      readGroup.call(withEntries(this, part), group, consumer, id, options, now);
    if (id === ">") {
      const from = placeAfter(entries, group.lastDeliveredId);
      let { entriesRead } = group;
      const delivered = read(entries.slice(from, options.count ? from + options.count : undefined));
      for (const entry of delivered) entriesRead = readAfter(this.stream, entriesRead, entry.id);
      group.entriesRead = entriesRead;
      return delivered;
    }
    return read([]).map((delivered) => entryOf(entries, delivered.id) ?? delivered);
  };
  prototype.claim = function (group, consumer, ids, ...rest) {
    const found = ids.flatMap((id) => entryOf(this.stream.entries, id) ?? []);
    return claim.call(withEntries(this, found), group, consumer, ids, ...rest);
  };
}

/** The tracker of the same stream, with a part of its entries to read. */
function withEntries(tracked: TrackedStream, entries: StreamEntry[]): TrackedStream {
  return Object.assign(Object.create(Object.getPrototypeOf(tracked)), {
    stream: { ...tracked.stream, entries },
    tracker: tracked.tracker,
  });
}
