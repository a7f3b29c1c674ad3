// biome-ignore-all lint/complexity/useLiteralKeys: quotes let TypeScript, which checks these names too, reach private members.

import type {
  RedisDatabase,
  RedisMutationListener,
  RedisServerState,
  SetOptions,
} from "js-redis-server/core";
import { EMPTY } from "../../util/bytes.js";
import { adopt } from "./collections/adopt.js";
import { ExpiringMap } from "./collections/expiring-map.js";
import { type Entry, isLive, JSON_TYPE, type StoredValue } from "./stored-value.js";
import { FairTurns } from "./turns.js";
import type { WaitingClients } from "./waiting-clients.js";

// The library copies a value for each read of it and for each listener of a write, and walks over all keys to count them. Here
// its databases get entries, reads and events without copies. No command of the library changes a value that it has read,
// outside of update(). Values are stored as they are given: COPY makes a copy, so that two keys never share one.

/** The value stored at a key, not a copy: read it, never change it. */
export function peek(database: RedisDatabase, key: Buffer): StoredValue | undefined {
  return keyspaceOf(database).getLiveEntry(key)?.value;
}

/** Length of the string at a key, in bytes; 0 where there is none or another type. */
export function stringLength(database: RedisDatabase, key: Buffer): number {
  const value = peek(database, key);
  return value?.type === "string" ? value.value.length : 0;
}

/** The entries of a database by their keys in hex, with those that have expired unnoticed. */
export function entriesOf(database: RedisDatabase): ExpiringMap<Entry> {
  return keyspaceOf(database).entries;
}

/** Number of keys in all databases; those that have expired unnoticed count until they are swept. */
export function countKeys(state: RedisServerState): number {
  let count = 0;
  for (const database of state.databases) count += entriesOf(database).size;
  return count;
}

/** The members of the library's keyspace that this module uses. The library's types do not declare them. */
interface Keyspace {
  readonly entries: ExpiringMap<Entry>;
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
 * Prepares a new state's databases for large collections, JSON documents, waiting clients, and the times of last uses.
 * @returns the turns of commands in all of them
 */
export function extendDatabases(state: RedisServerState, waiting: WaitingClients): FairTurns {
  const turns = new FairTurns(() => waiting.serve());
  for (const database of state.databases) {
    const keyspace = keyspaceOf(database);
    const entries = new ExpiringMap<Entry>();
    Object.defineProperty(keyspace, "entries", { value: entries });
    const { update } = keyspace;
    keyspace.get = (key) => touchEntry(keyspace, key)?.value ?? null;
    keyspace.set = (key, value, options) => {
      const expiresAt = options?.keepTtl ? keyspace.getLiveEntry(key)?.expiresAt : options?.expiresAt;
      const expiry = expiresAt === undefined ? {} : { expiresAt };
      const entry = { key: Buffer.from(key), value: adopt(value), ...expiry };
      entries.set(key.toString("hex"), entry);
      // Listeners need the type of a value, which has to be one of the library's.
      const known = value.type === JSON_TYPE ? { type: "string" as const, value: EMPTY } : value;
      database.mutations.emit({ type: "write", database: database.id, key: entry.key, value: known });
      touchEntry(keyspace, key);
      // A list, sorted set or stream that is set whole was moved or copied here. Redis deletes the old value first, so clients that
      // wait for the key are served even if it held such a value before.
      waiting.signal(database, key, value.type);
    };
    keyspace.update = (key, type, create, change) => {
      touchEntry(keyspace, key);
      return update.call(keyspace, key, type, () => adopt(create()), change);
    };
    keyspace.sweepExpired = (now = Date.now()) => {
      const expired = entries.expiredBy(now);
      for (const [, { key }] of expired) keyspace.getLiveEntry(key);
      return expired.length;
    };
    shareEvents(database, entries);
    Object.defineProperty(database, "turnQueue", { value: turns });
  }
  return turns;
}

/** Gives listeners an event itself rather than copies. They use the type of its value alone. */
function shareEvents({ mutations }: RedisDatabase, entries: ExpiringMap<Entry>): void {
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

/** Stores a value without a copy. The time to live of its key stays. */
export function replaceValue(database: RedisDatabase, key: Buffer, value: StoredValue): void {
  keyspaceOf(database).set(key, value, { keepTtl: true });
}

/** Removes a key that is about to be overwritten: listeners get the event of the new value alone. */
export function dropEntry(database: RedisDatabase, key: Buffer): void {
  entriesOf(database).delete(key.toString("hex"));
}

/** Returns the entry at a key, whose last use is now. */
function touchEntry(keyspace: Keyspace, key: Buffer): Entry | null {
  const entry = keyspace.getLiveEntry(key);
  if (entry) entry.usedAt = Date.now();
  return entry;
}

/** The entries that have not expired. */
export function* liveEntries(database: RedisDatabase): Generator<Entry> {
  const now = Date.now();
  for (const entry of entriesOf(database).values()) if (isLive(entry, now)) yield entry;
}
