// biome-ignore-all lint/complexity/useLiteralKeys: quotes let TypeScript, which checks these names too, reach private members.

import type { RedisDatabase, RedisDataValue, RedisServerState } from "js-redis-server/core";

// The library's own reads copy what they return, and its count walks over every key. Guards run before
// every write, so they look at the entries themselves. A test pins that these members are there.

/** The value stored at a key, not a copy: read it, never change it. */
export function peek(database: RedisDatabase, key: Buffer): RedisDataValue | undefined {
  return database["keyspace"]["getLiveEntry"](key)?.value;
}

/** Length of the string at a key, in bytes; 0 where there is none or another type. */
export function stringLength(database: RedisDatabase, key: Buffer): number {
  const value = peek(database, key);
  return value?.type === "string" ? value.value.length : 0;
}

/** Number of keys in all databases; those that have expired unnoticed count until they are swept. */
export function countKeys(state: RedisServerState): number {
  let count = 0;
  for (const database of state.databases) count += database["keyspace"]["entries"].size;
  return count;
}
