// biome-ignore-all lint/complexity/useLiteralKeys: brackets give typed access to private members.

import { RedisDatabase, type RedisHashField, type RedisListData } from "js-redis-server/core";
import { listValues } from "./collections/adopt.js";
import type { ExpiringMap } from "./collections/expiring-map.js";
import type { ListValues } from "./collections/list-values.js";
import {
  entryOf,
  isBefore,
  MIN_ID,
  placeAfter,
  placeOf,
  readAfter,
  type StreamEntries,
  type StreamId,
} from "./stream-data.js";

// The library's commands change a value through a tracker for its type. This file replaces tracker methods that read a whole
// collection to change a part of it, expect an array, or count differently from Redis. The library does not export the classes.

type TrackedHash = Parameters<Parameters<RedisDatabase["updateHash"]>[1]>[0];
type TrackedList = Parameters<Parameters<RedisDatabase["updateList"]>[1]>[0];
type TrackedStream = Parameters<Parameters<RedisDatabase["updateStream"]>[1]>[0];

/** XAUTOCLAIM visits at most COUNT times this many pending entries, as in Redis. */
const ATTEMPTS_PER_ENTRY = 10;

/** Replaces the trackers' methods, for all databases of this thread. */
export function replaceTrackedMethods(): void {
  const database = new RedisDatabase(0);
  const key = Buffer.from("k");
  replaceHashMethods(database.updateHash(key, Object.getPrototypeOf));
  replaceListMethods(database.updateList(key, Object.getPrototypeOf));
  replaceStreamMethods(database.updateStream(key, Object.getPrototypeOf));
}

function fieldsOf(tracked: TrackedHash): ExpiringMap<RedisHashField> {
  return tracked["hash"].fields;
}

function replaceHashMethods(prototype: TrackedHash): void {
  const { setFieldExpiration } = prototype;
  prototype.setFieldExpiration = function (field, expiresAt) {
    const isSet = setFieldExpiration.call(this, field, expiresAt);
    fieldsOf(this).noteExpiry(field.toString("hex"));
    return isSet;
  };
  prototype["deleteExpiredFields"] = function () {
    const fields = fieldsOf(this);
    for (const [id] of fields.expiredBy(Date.now())) {
      fields.delete(id);
      this["tracker"].markChanged();
    }
  };
}

function valuesOf(tracked: TrackedList): ListValues {
  return listValues(tracked["list"] as RedisListData);
}

function replaceListMethods(prototype: TrackedList): void {
  prototype.setAt = function (index, value) {
    valuesOf(this).setAt(index, value);
    this["tracker"].markChanged();
  };
  prototype.removeMatching = function (count, element) {
    const values = valuesOf(this);
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
    this["tracker"].markChanged();
    return removed;
  };
  prototype.trim = function (start, stop, options) {
    const values = valuesOf(this);
    const { length } = values;
    if (start > stop) values.replace([]);
    else {
      values.splice(stop + 1);
      values.splice(0, start);
    }
    if (options?.forceDirty || values.length !== length) this["tracker"].markChanged();
    return { empty: values.length === 0 };
  };
}

function replaceStreamMethods(prototype: TrackedStream): void {
  const { readGroup, claim } = prototype;
  prototype.deleteEntries = function (ids, _compare, onDelete) {
    return this.trim(({ entries }) => {
      const before = entries.length;
      for (const id of ids) {
        const entry = entryOf(entries, id);
        if (!entry) continue;
        onDelete(entry);
        entries.splice(placeOf(entries, id), 1);
      }
      return before - entries.length;
    });
  };
  prototype.readGroup = function (group, consumer, id, options, now) {
    const { entries } = this.value;
    /** Calls the library's method with only these entries of the stream. */
    const read = (part: StreamEntries) =>
      readGroup.call(withEntries(this, part), group, consumer, id, options, now);
    if (id === ">") {
      const from = placeAfter(entries, group.lastDeliveredId);
      let { entriesRead } = group;
      const delivered = read(entries.slice(from, options.count ? from + options.count : undefined));
      for (const entry of delivered) entriesRead = readAfter(this.value, entriesRead, entry.id);
      group.entriesRead = entriesRead;
      return delivered;
    }
    return read([]).map((delivered) => {
      const entry = entryOf(entries, delivered.id);
      if (!entry) return delivered;
      // A consumer that reads its history gets the entry again, unless it was deleted from the stream.
      const delivery = group.pending.get(`${entry.id.ms}-${entry.id.seq}`)!;
      delivery.deliveredAt = now;
      delivery.deliveryCount++;
      return entry;
    });
  };
  prototype.claim = function (group, consumer, ids, options, now) {
    const found = ids.flatMap((id) => entryOf(this.value.entries, id) ?? []);
    return claim.call(withEntries(this, found), group, consumer, ids, options, now);
  };
  // COUNT includes entries that were deleted from the stream.
  prototype.autoClaim = function (group, consumer, { minIdleMs, start, count, justId }, now) {
    const { consumers, pending } = group;
    const consumerId = consumer.toString("hex");
    consumers.set(consumerId, { name: Buffer.from(consumer), seenAt: now, activeAt: now });
    const deliveries = [...pending]
      .filter(([, { id }]) => !isBefore(id, start))
      .sort(([, a], [, b]) => (isBefore(a.id, b.id) ? -1 : 1));
    const visited = deliveries.slice(0, count * ATTEMPTS_PER_ENTRY);
    const claimed: StreamEntries = [];
    const deleted: StreamId[] = [];
    let at = 0;
    for (; at < visited.length && claimed.length + deleted.length < count; at++) {
      const [key, delivery] = visited[at]!;
      const entry = entryOf(this.value.entries, delivery.id);
      if (!entry) {
        pending.delete(key);
        deleted.push(delivery.id);
      } else if (now - delivery.deliveredAt >= minIdleMs) {
        Object.assign(delivery, { consumerId, deliveredAt: now });
        if (!justId) delivery.deliveryCount++;
        claimed.push(entry);
      }
    }
    return { nextStartId: deliveries[at]?.[1].id ?? MIN_ID, claimed, deleted };
  };
}

/** Returns a tracker of the same stream that reads only the given entries. */
function withEntries(tracked: TrackedStream, entries: StreamEntries): TrackedStream {
  return Object.create(tracked, { stream: { value: { ...tracked.value, entries } } });
}
