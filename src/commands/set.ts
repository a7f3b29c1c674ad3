import { int, list, oneOrMany, text, tuple, value } from "./decoders.js";
import type { Key, Kind, Reply } from "./kind.js";
import { checked, group, read, write } from "./rows.js";
import type { Checked, SchemaOption, StandardSchema } from "./schema.js";
import type { ScanCommandOptions } from "./types.js";
import { arg, counted, data, eachData, maybe, options } from "./words.js";

export interface SetCommands<K extends Kind> {
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
  smembers<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, Checked<S>[]>;
  /** Gives 1 or 0 for each, as sismember does. */
  smismember<T extends unknown[]>(key: Key, members: T): Reply<K, (0 | 1)[]>;
  /** Moves a member to another set. Gives 1 if it was there, else 0. */
  smove<T = unknown>(source: Key, destination: Key, member: T): Reply<K, 0 | 1>;
  /** Takes some member, or with a count an array of them. Gives null where there is no set and no count. */
  spop<T = unknown>(key: Key, count?: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  spop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, Checked<S> | null>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  spop<S extends StandardSchema>(key: Key, count: number, opts: SchemaOption<S>): Reply<K, Checked<S>[]>;
  /** Gives some member, or with a count an array of them: a negative count allows the same twice. */
  srandmember<T = unknown>(key: Key, count?: number): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  srandmember<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, Checked<S> | null>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  srandmember<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, Checked<S>[]>;
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

export const setCommands = group(() => ({
  sadd: write(int, arg, data),
  scard: read(int),
  sdiff: read(members),
  sdiffcard: read(int, counted, options("limit")),
  sdiffstore: write(int),
  sinter: read(members),
  sintercard: read(int, counted, options("limit")),
  sinterstore: write(int),
  sismember: read(int, arg, data),
  smembers: checked(read(members)),
  smismember: read(list(int), arg, eachData),
  smove: write(int, arg, arg, data),
  spop: checked(write(oneOrMany(value), arg, maybe)),
  srandmember: checked(read(oneOrMany(value), arg, maybe)),
  srem: write(int, arg, data),
  sscan: read(tuple(text, members), arg, arg, options("match count")),
  sunion: read(members),
  sunioncard: read(int, counted, options("approx limit")),
  sunionstore: write(int),
})) satisfies () => Record<keyof SetCommands<Kind>, unknown>;
