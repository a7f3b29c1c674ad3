import { counted, optional, options, rest, scalar, scalars, stored, storedEach } from "./args.js";
import { int, list, oneOrMany, text, tuple, value } from "./decoders.js";
import { checked, defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { ScanCommandOptions } from "./types.js";

export interface SetCommands<K extends ReplyMode> {
  /** Adds members. Gives how many are new. */
  sadd<T = unknown>(key: Key, member: T, ...members: T[]): Reply<K, number>;
  /** Gives how many members there are. */
  scard(key: Key): Reply<K, number>;
  /** Gives the members of the first set that are in none of the others. */
  sdiff<T = unknown>(key: Key, ...keys: Key[]): Reply<K, T[]>;
  /** Gives how many members of the first set are in none of the others, counting up to `limit`. */
  sdiffcard(keys: Key[], opts?: { limit?: number }): Reply<K, number>;
  /** Stores what sdiff gives. Gives how many members that is. */
  sdiffstore(destination: Key, ...keys: Key[]): Reply<K, number>;
  /** Gives the members that are in every set. */
  sinter<T = string>(key: Key, ...keys: Key[]): Reply<K, T[]>;
  /** Gives how many members are in every set, counting up to `limit`. */
  sintercard(keys: Key[], opts?: { limit?: number }): Reply<K, number>;
  /** Stores what sinter gives. Gives how many members that is. */
  sinterstore(destination: Key, key: Key, ...keys: Key[]): Reply<K, number>;
  /** Gives 1 if it is a member, else 0. */
  sismember<T = unknown>(key: Key, member: T): Reply<K, 0 | 1>;
  /** Gives the members. */
  smembers<T extends unknown[] = string[]>(key: Key): Reply<K, T>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  smembers<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S>[]>;
  /** Gives 1 or 0 for each, as sismember does. */
  smismember<T extends unknown[]>(key: Key, members: T): Reply<K, (0 | 1)[]>;
  /** Moves a member to another set. Gives 1 if it was there, else 0. */
  smove<T = unknown>(source: Key, destination: Key, member: T): Reply<K, 0 | 1>;
  /** Takes some member, or with a count an array of them. Gives null where there is no set and no count. */
  spop<T = unknown>(key: Key, count?: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  spop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  spop<S extends StandardSchema>(key: Key, count: number, opts: SchemaOption<S>): Reply<K, InferOutput<S>[]>;
  /** Gives some member, or with a count an array of them: a negative count allows the same twice. */
  srandmember<T = unknown>(key: Key, count?: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  srandmember<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  srandmember<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[]>;
  /** Removes members. Gives how many there were. */
  srem<T = unknown>(key: Key, ...members: T[]): Reply<K, number>;
  /** Gives the next cursor, "0" at the end, and some members. */
  sscan<T = string | number>(
    key: Key,
    cursor: string | number,
    opts?: ScanCommandOptions,
  ): Reply<K, [cursor: string, members: T[]]>;
  /** Gives the members that are in any of the sets. */
  sunion<T = unknown>(key: Key, ...keys: Key[]): Reply<K, T[]>;
  /** Gives how many members are in any of the sets, counting up to `limit`; `approx` estimates. */
  sunioncard(keys: Key[], opts?: { approx?: boolean; limit?: number }): Reply<K, number>;
  /** Stores what sunion gives. Gives how many members that is. */
  sunionstore(destination: Key, key: Key, ...keys: Key[]): Reply<K, number>;
}

const members = list(value);
const fromKeys = read(members, rest(scalars));
const storeFromKeys = write(int, scalar, rest(scalars));

export const setCommands = defineCommands(() => ({
  sadd: write(int, scalar, rest(stored)),
  scard: read(int, scalar),
  sdiff: fromKeys,
  sdiffcard: read(int, counted, options("limit")),
  sdiffstore: storeFromKeys,
  sinter: fromKeys,
  sintercard: read(int, counted, options("limit")),
  sinterstore: storeFromKeys,
  sismember: read(int, scalar, stored),
  smembers: checked(read(members, scalar)),
  smismember: read(list(int), scalar, storedEach),
  smove: write(int, scalar, scalar, stored),
  spop: checked(write(oneOrMany(value), scalar, optional(scalar))),
  srandmember: checked(read(oneOrMany(value), scalar, optional(scalar))),
  srem: write(int, scalar, rest(stored)),
  sscan: read(tuple(text, members), scalar, scalar, options("match count")),
  sunion: fromKeys,
  sunioncard: read(int, counted, options("approx? limit")),
  sunionstore: storeFromKeys,
})) satisfies () => Record<keyof SetCommands<ReplyMode>, unknown>;
