// biome-ignore-all lint/complexity/useLiteralKeys: quotes let TypeScript, which checks these names too, reach private members.

import {
  cloneRedisDataValue,
  type KeyspaceEntry,
  type RedisDatabase,
  type RedisDataValue,
  type RedisServerState,
  type SetOptions,
} from "js-redis-server/core";
import type { Json } from "./json/value.js";

// The library's own reads copy what they return, and its count walks over every key. Guards run before
// every write, so they read the entries themselves. A test pins that these members are there.

/** The name of the type of JSON documents, as TYPE has it. */
export const JSON_TYPE = "ReJSON-RL";

/** A JSON document, a type that the library does not have. */
export interface JsonDocument {
  readonly type: typeof JSON_TYPE;
  readonly root: Json;
}

/** A value of a type of the library, or of ours. */
export type StoredValue = RedisDataValue | JsonDocument;

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
export function entriesOf(database: RedisDatabase): Map<string, Entry> {
  return keyspaceOf(database).entries;
}

/** Number of keys in all databases; those that have expired unnoticed count until they are swept. */
export function countKeys(state: RedisServerState): number {
  let count = 0;
  for (const database of state.databases) count += entriesOf(database).size;
  return count;
}

/** An entry as the library stores it, with the time of its last use, in ms. */
export type Entry = Omit<KeyspaceEntry, "value"> & { value: StoredValue; usedAt?: number };

/** The members of the library's keyspace that this module uses. The library's types do not declare them. */
interface Keyspace {
  readonly entries: Map<string, Entry>;
  getLiveEntry(key: Buffer): Entry | null;
  get(key: Buffer): StoredValue | null;
  set(key: Buffer, value: StoredValue, options?: SetOptions): void;
  update(key: Buffer, ...rest: unknown[]): unknown;
  entriesSnapshot(): Entry[];
}

function keyspaceOf(database: RedisDatabase): Keyspace {
  return database["keyspace"] as Keyspace;
}

/** Counts the keys that were ever added, so that an order of keys is known to be complete. */
class CountingMap extends Map<string, Entry> {
  added = 0;

  override set(id: string, entry: Entry): this {
    if (!this.has(id)) this.added += 1;
    return super.set(id, entry);
  }
}

/** Prepares a new state's databases for JSON documents, {@link keyPage} and {@link idleSeconds}. */
export function extendDatabases(state: RedisServerState): void {
  for (const database of state.databases) {
    const keyspace = keyspaceOf(database);
    Object.defineProperty(keyspace, "entries", { value: new CountingMap(), writable: true });
    const { get, set, update } = keyspace;
    keyspace.get = (key) => {
      markUsed(database, key);
      const value = peek(database, key);
      // Documents are never changed in place, so that they need not be copied.
      return value?.type === JSON_TYPE ? value : get.call(keyspace, key);
    };
    keyspace.set = (key, value, options) => {
      if (value.type === JSON_TYPE) storeDocument(database, key, value, options);
      else set.call(keyspace, key, value, options);
      markUsed(database, key);
    };
    keyspace.update = (key, ...rest) => {
      markUsed(database, key);
      return update.call(keyspace, key, ...rest);
    };
    keyspace.entriesSnapshot = () =>
      [...liveEntries(database)].map(({ key, value, expiresAt }) => ({
        key: Buffer.from(key),
        value: value.type === JSON_TYPE ? value : cloneRedisDataValue(value),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }));
  }
}

/** Stores a document at a key, whose time to live stays. */
export function setDocument(database: RedisDatabase, key: Buffer, root: Json): void {
  keyspaceOf(database).set(key, { type: JSON_TYPE, root }, { keepTtl: true });
}

function storeDocument(
  database: RedisDatabase,
  key: Buffer,
  value: JsonDocument,
  options?: SetOptions,
): void {
  const keyspace = keyspaceOf(database);
  const expiresAt = options?.keepTtl ? keyspace.getLiveEntry(key)?.expiresAt : options?.expiresAt;
  const entry = { key: Buffer.from(key), value, ...(expiresAt === undefined ? {} : { expiresAt }) };
  keyspace.entries.set(key.toString("hex"), entry);
  // Listeners (WATCH, blocked commands, notifications) need only the key, not the value.
  const standIn = { type: "string" as const, value: Buffer.alloc(0) };
  database.mutations.emit({ type: "write", database: database.id, key: entry.key, value: standIn });
}

/** Notes that a key has just been used. */
export function markUsed(database: RedisDatabase, key: Buffer): void {
  const entry = keyspaceOf(database).getLiveEntry(key);
  if (entry) entry.usedAt = Date.now();
}

/** Seconds since a key was last read or written. */
export function idleSeconds(database: RedisDatabase, key: Buffer): number {
  const entry = keyspaceOf(database).getLiveEntry(key);
  return Math.floor((Date.now() - (entry?.usedAt ?? Date.now())) / 1000);
}

/** The entries that have not expired. */
export function* liveEntries(database: RedisDatabase): Generator<Entry> {
  const now = Date.now();
  for (const entry of entriesOf(database).values()) {
    if (entry.expiresAt === undefined || entry.expiresAt > now) yield entry;
  }
}

interface Ordered {
  readonly rank: number;
  readonly id: string;
}

const orders = new WeakMap<Map<string, Entry>, { added: number; keys: Ordered[] }>();

/**
 * A page of a database's keys in an order that depends on the keys alone, so that a scan returns each key that is there
 * throughout, whatever is added or deleted meanwhile.
 * @param cursor 0, or the cursor that the previous page returned
 * @returns at least `count` keys unless the end is reached, and the next cursor, 0 at the end
 */
export function keyPage(
  database: RedisDatabase,
  cursor: bigint,
  count: number,
): { entries: Entry[]; next: bigint } {
  const entries = entriesOf(database) as CountingMap;
  let order = orders.get(entries);
  if (order?.added !== entries.added) {
    order = { added: entries.added, keys: inOrder(entries.keys()) };
    orders.set(entries, order);
  }
  const { keys, next } = page(order.keys, cursor, count);
  const found = keys.flatMap(({ id }) => {
    const entry = entries.get(id);
    return entry && keyspaceOf(database).getLiveEntry(entry.key) ? [entry] : [];
  });
  return { entries: found, next };
}

/** A page of a collection's items, by the same rule as {@link keyPage}. */
export function itemPage<T>(
  items: ReadonlyMap<string, T>,
  cursor: bigint,
  count: number,
): { items: T[]; next: bigint } {
  const { keys, next } = page(inOrder(items.keys()), cursor, count);
  return { items: keys.map(({ id }) => items.get(id)!), next };
}

function inOrder(ids: Iterable<string>): Ordered[] {
  return Array.from(ids, (id) => ({ rank: rankOf(id), id })).sort((a, b) => a.rank - b.rank);
}

/** From the first rank that is not below the cursor; items of the same rank are never parted. */
function page(order: readonly Ordered[], cursor: bigint, count: number): { keys: Ordered[]; next: bigint } {
  let low = 0;
  for (let high = order.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (BigInt(order[middle]!.rank) < cursor) low = middle + 1;
    else high = middle;
  }
  let end = Math.min(order.length, low + count);
  while (end < order.length && order[end]!.rank === order[end - 1]!.rank) end += 1;
  const next = end < order.length ? BigInt(order[end]!.rank) : 0n;
  return { keys: order.slice(low, end), next };
}

/** A key's place in the order: its FNV-1a hash, never 0, which as a cursor means the beginning. */
function rankOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}
