// biome-ignore-all lint/complexity/useLiteralKeys: brackets give typed access to private members.

import type {
  RedisDatabase,
  RedisMutationListener,
  RedisServerState,
  SetOptions,
} from "js-redis-server/core";
import { EMPTY } from "../../util/bytes.js";
import { adopt } from "./collections/adopt.js";
import { DatabaseEntries } from "./collections/database-entries.js";
import { type Entry, isLive, JSON_TYPE, type StoredValue } from "./stored-value.js";
import { FairTurns } from "./turns.js";
import type { WaitingClients } from "./waiting-clients.js";

// The library copies a value at each read and for each listener of a write, and visits all keys to count them. This module replaces
// its entries, reads and events by ones without copies. That is safe because the library's commands change a value only inside update().
// Writes do not copy the value either: COPY makes the copy itself, so that two keys never share a value.

/** Returns the value at a key, not a copy: the caller must not change it. */
export function peek(database: RedisDatabase, key: Buffer): StoredValue | undefined {
  return keyspaceOf(database).getLiveEntry(key)?.value;
}

/** Returns the length in bytes of the string at a key, or 0 if the key is missing or has another type. */
export function stringLength(database: RedisDatabase, key: Buffer): number {
  const value = peek(database, key);
  return value?.type === "string" ? value.value.length : 0;
}

/** Returns the entries of a database by key in hex. Expired entries are included until they are read or swept. */
export function entriesOf(database: RedisDatabase): DatabaseEntries {
  return keyspaceOf(database).entries;
}

/** Returns the number of keys in all databases. Expired keys count until they are read or swept. */
export function countKeys(state: RedisServerState): number {
  let count = 0;
  for (const database of state.databases) count += entriesOf(database).size;
  return count;
}

/** The members of the library's keyspace that this module uses. The library's types do not declare them. */
interface Keyspace {
  readonly entries: DatabaseEntries;
  getLiveEntry(key: Buffer): Entry | null;
  get(key: Buffer): StoredValue | null;
  set(key: Buffer, value: StoredValue, options?: SetOptions): void;
  update(key: Buffer, type: string, create: () => StoredValue, change: unknown): unknown;
  sweepExpired(now?: number): number;
}

function keyspaceOf(database: RedisDatabase): Keyspace {
  return database["keyspace"] as Keyspace;
}

/**
 * Prepares the databases of a new state for large collections, JSON documents, waiting clients, and the times of last uses.
 * @returns the queue in which the commands of all databases wait for their turns
 */
export function extendDatabases(state: RedisServerState, waiting: WaitingClients): FairTurns {
  const turns = new FairTurns(() => waiting.serve());
  for (const database of state.databases) {
    const keyspace = keyspaceOf(database);
    const entries = new DatabaseEntries();
    Object.defineProperty(keyspace, "entries", { value: entries });
    const { update } = keyspace;
    keyspace.get = (key) => touchEntry(keyspace, key)?.value ?? null;
    keyspace.set = (key, value, options) => {
      const expiresAt = options?.keepTtl ? keyspace.getLiveEntry(key)?.expiresAt : options?.expiresAt;
      const expiry = expiresAt === undefined ? {} : { expiresAt };
      const entry = { key: Buffer.from(key), value: adopt(value), ...expiry };
      entries.set(key.toString("hex"), entry);
      // Listeners use only the type of a value, and know only the library's types.
      const emitted = value.type === JSON_TYPE ? { type: "string" as const, value: EMPTY } : value;
      database.mutations.emit({ type: "write", database: database.id, key: entry.key, value: emitted });
      touchEntry(keyspace, key);
      // RENAME, COPY and other commands store a whole list, sorted set or stream. Redis deletes the old value first, so clients that
      // wait for the key are served even if it already had a value of that type.
      waiting.signal(database, key, value.type);
    };
    keyspace.update = (key, type, create, change) => {
      touchEntry(keyspace, key);
      return update.call(keyspace, key, type, () => adopt(create()), change);
    };
    keyspace.sweepExpired = (now = Date.now()) => {
      const expired = entries.expiredBy(now);
      for (const [, { key }] of expired) keyspace.getLiveEntry(key);
      for (const entry of entries.withFieldsExpiredBy(now)) {
        const { key, usedAt } = entry;
        // Counting the fields removes those that have expired, and the key with the last one. That is no use of the key.
        database.updateHash(key, (hash) => void hash.size);
        entry.usedAt = usedAt;
      }
      return expired.length;
    };
    shareEvents(database, entries);
    Object.defineProperty(database, "turnQueue", { value: turns });
  }
  return turns;
}

/** Passes events to listeners without copying them. Listeners use only the type of the event's value. */
function shareEvents({ mutations }: RedisDatabase, entries: DatabaseEntries): void {
  const all: Set<RedisMutationListener> = mutations["globalListeners"];
  const byKey: Map<string, Set<RedisMutationListener>> = mutations["keyListeners"];
  mutations.emit = (event) => {
    if (event.type === "expire" || event.type === "persist") entries.noteExpiry(event.key.toString("hex"));
    for (const listener of all) listener(event);
    const listeners =
      event.type === "flush"
        ? [...byKey.values()].flatMap((each) => [...each])
        : [...(byKey.get(event.key.toString("hex")) ?? [])];
    for (const listener of listeners) listener(event);
  };
}

/** Stores a value without a copy, and keeps the time to live of the key. */
export function replaceValue(database: RedisDatabase, key: Buffer, value: StoredValue): void {
  keyspaceOf(database).set(key, value, { keepTtl: true });
}

/** Removes a key that is about to be overwritten, without an event: listeners get only that of the new value. */
export function dropEntry(database: RedisDatabase, key: Buffer): void {
  entriesOf(database).delete(key.toString("hex"));
}

/** Returns the entry at a key, and records that it is used now. */
function touchEntry(keyspace: Keyspace, key: Buffer): Entry | null {
  const entry = keyspace.getLiveEntry(key);
  if (entry) entry.usedAt = Date.now();
  return entry;
}

/** Yields the entries of a database that have not expired. */
export function* liveEntries(database: RedisDatabase): Generator<Entry> {
  const now = Date.now();
  for (const entry of entriesOf(database).values()) if (isLive(entry, now)) yield entry;
}
