import { counted, optional, options, rest, scalar, scalars, stored, storedEach } from "./args.js";
import { int, list, oneOrMany, text, tuple, value } from "./decoders.js";
import { checked, defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored, StoredList } from "./reply-mode.js";
import type { InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { StorableValue } from "./storable.js";
import type { CollectionScanOptions, CountLimitOption, IfNamed, SeveralValues } from "./types.js";

/** Commands on sets. */
export interface SetCommands<K extends ReplyMode> {
  /**
   * Adds members. Returns how many are new.
   * @example
   * ```ts
   * await redis.sadd("tags", "new", "sale"); // 2 new members
   * ```
   */
  sadd<T = unknown, Tag = never>(
    key: Key,
    member: StorableValue<K, T, Tag>,
    ...members: StorableValue<K, T, Tag>[]
  ): Reply<K, number>;
  /** Returns how many members there are. */
  scard(key: Key): Reply<K, number>;
  /** Returns the members of the first set that are in none of the others. */
  sdiff<T = Stored<K>>(key: Key, ...keys: Key[]): Reply<K, T[]>;
  /** Returns how many members of the first set are in none of the others, counting up to `limit`. */
  sdiffcard(keys: Key[], opts?: CountLimitOption): Reply<K, number>;
  /** Stores the result of sdiff. Returns its number of members. */
  sdiffstore(destination: Key, ...keys: Key[]): Reply<K, number>;
  /** Returns the members that are in every set. */
  sinter<T = Stored<K, string>>(key: Key, ...keys: Key[]): Reply<K, T[]>;
  /** Returns how many members are in every set, counting up to `limit`. */
  sintercard(keys: Key[], opts?: CountLimitOption): Reply<K, number>;
  /** Stores the result of sinter. Returns its number of members. */
  sinterstore(destination: Key, key: Key, ...keys: Key[]): Reply<K, number>;
  /** Returns 1 if the set has the member, else 0. */
  sismember<T = unknown, Tag = never>(key: Key, member: StorableValue<K, T, Tag>): Reply<K, 0 | 1>;
  /**
   * Returns the members.
   * @example
   * ```ts
   * await redis.smembers("tags"); // ["new", "sale"]
   * ```
   */
  smembers<T extends unknown[] = StoredList<K, string[]>>(key: Key): Reply<K, T>;
  /** As above, but `T` is the type of each member. */
  smembers<T = never>(key: Key, ...none: IfNamed<T, []>): Reply<K, T[]>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  smembers<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S>[]>;
  /** Returns for each member the result of sismember. */
  smismember<T extends readonly unknown[]>(key: Key, members: T): Reply<K, (0 | 1)[]>;
  /** Moves a member to another set. Returns 1 if it was there, else 0. */
  smove<T = unknown, Tag = never>(
    source: Key,
    destination: Key,
    member: StorableValue<K, T, Tag>,
  ): Reply<K, 0 | 1>;
  /** Removes a random member. Returns it, or null if the set does not exist. */
  spop<T = Stored<K>>(key: Key): Reply<K, T | null>;
  /** Removes up to `count` random members. Returns them. */
  spop<T = Stored<K>>(key: Key, count: number): Reply<K, SeveralValues<T>>;
  /** Removes a random member, or up to `count` of them. */
  spop<T = Stored<K>>(key: Key, count: number | undefined): Reply<K, T | SeveralValues<T> | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  spop<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  spop<S extends StandardSchema>(key: Key, count: number, opts: SchemaOption<S>): Reply<K, InferOutput<S>[]>;
  /** Returns a random member, or null if the set does not exist. */
  srandmember<T = Stored<K>>(key: Key): Reply<K, T | null>;
  /** Returns up to `count` random members. With a negative count, members may repeat. */
  srandmember<T = Stored<K>>(key: Key, count: number): Reply<K, SeveralValues<T>>;
  /** Returns a random member, or up to `count` of them. */
  srandmember<T = Stored<K>>(key: Key, count: number | undefined): Reply<K, T | SeveralValues<T> | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  srandmember<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  srandmember<S extends StandardSchema>(
    key: Key,
    count: number,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S>[]>;
  /** Removes members. Returns how many were removed. */
  srem<T = unknown, Tag = never>(key: Key, ...members: StorableValue<K, T, Tag>[]): Reply<K, number>;
  /** Returns the next cursor, "0" at the end, and a page of members. */
  sscan<T = Stored<K, string | number>>(
    key: Key,
    cursor: string | number,
    opts?: CollectionScanOptions,
  ): Reply<K, [cursor: string, members: T[]]>;
  /** Returns the members that are in any of the sets. */
  sunion<T = Stored<K>>(key: Key, ...keys: Key[]): Reply<K, T[]>;
  /** Returns how many members are in any of the sets, counting up to `limit`; `approx` estimates. */
  sunioncard(keys: Key[], opts?: CountLimitOption & { approx?: boolean | undefined }): Reply<K, number>;
  /** Stores the result of sunion. Returns its number of members. */
  sunionstore(destination: Key, key: Key, ...keys: Key[]): Reply<K, number>;
}

export default defineCommands(() => {
  const members = list(value);
  const fromKeys = read(members, rest(scalars));
  const storeFromKeys = write(int, scalar, rest(scalars));

  return {
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
  };
}) satisfies () => Record<keyof SetCommands<ReplyMode>, unknown>;
