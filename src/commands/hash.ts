import {
  counted,
  countedEntries,
  countedRest,
  entriesOrPairs,
  flag,
  optional,
  options,
  prefixed,
  rest,
  scalar,
  scalars,
  stored,
} from "./args.js";
import {
  alternating,
  byField,
  float,
  int,
  list,
  object,
  oneOrMany,
  orNull,
  text,
  tuple,
  value,
  when,
} from "./decoders.js";
import { checked, defineCommands, read, reordered, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored, StoredList } from "./reply-mode.js";
import type { CheckedValue, InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { StorableField, StorableValue } from "./storable.js";
import type { GetExCommandOptions } from "./string.js";
import type { AtMostOne, CollectionScanOptions, Expiration, ExpireOption, IfNamed } from "./types.js";

/** A field or several. */
export type HashFields = string | number | (string | number)[];

/** What hexpire and its variants did to a field: see hexpire. */
export type ExpireCode = -2 | 0 | 1 | 2;

/** A time to live for the fields that are read, or `persist` to remove it. */
export type HGetExCommandOptions = GetExCommandOptions;

/** A new time to live for fields, or the existing one. */
export interface FieldExpiration extends Expiration {
  /** Keeps the fields' time to live. */
  keepttl: boolean;
}

/** Conditions of hsetex, and the fields' time to live. */
export interface HSetExCommandOptions {
  /** Only if none of the fields exists, or only if all of them do. */
  conditional?: "FNX" | "fnx" | "FXX" | "fxx" | undefined;
  /** The fields' time to live, or `keepttl` to leave it as it is. */
  expiration?: AtMostOne<FieldExpiration, "only one of ex, px, exat, pxat and keepttl"> | undefined;
}

/** Commands on hashes. */
export interface HashCommands<K extends ReplyMode> {
  /** Removes fields. Returns how many were removed. */
  hdel(key: Key, ...fields: Key[]): Reply<K, number>;
  /** Returns 1 if the field exists, else 0. */
  hexists(key: Key, field: Key): Reply<K, number>;
  /**
   * Sets fields' time to live, in seconds. Returns for each field 1; 2 if it was removed at once; 0 if `option` prevented it;
   * -2 if it does not exist.
   */
  hexpire(key: Key, fields: HashFields, seconds: number, option?: ExpireOption): Reply<K, ExpireCode[]>;
  /** Sets when fields expire, in seconds since 1970. Returns the codes of hexpire, one per field. */
  hexpireat(key: Key, fields: HashFields, timestamp: number, option?: ExpireOption): Reply<K, ExpireCode[]>;
  /** Returns when fields expire, in seconds since 1970; -1 if never, -2 for a missing field. */
  hexpiretime(key: Key, fields: HashFields): Reply<K, number[]>;
  /**
   * Returns a field's value, or null.
   * @example
   * ```ts
   * await redis.hget("user:1", "age"); // 36
   * ```
   */
  hget<T = Stored<K>>(key: Key, field: Key): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  hget<S extends StandardSchema>(
    key: Key,
    field: Key,
    opts: SchemaOption<S>,
  ): Reply<K, InferOutput<S> | null>;
  /**
   * Returns the hash as an object, or null if the key does not exist.
   * @example
   * ```ts
   * await redis.hgetall<User>("user:1"); // { name: "Ada", age: 36 }, or null
   * ```
   */
  hgetall<T extends object = Record<string, Stored<K>>>(key: Key): Reply<K, T | null>;
  /** With `schema`, returns its output for the object. Rejects with a SchemaError if the object does not fit. */
  hgetall<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** Removes fields. Returns them as an object, or null if none existed. */
  hgetdel<T extends object = Record<string, Stored<K> | null>>(
    key: Key,
    ...fields: (string | number)[]
  ): Reply<K, T | null>;
  /** With `schema`, returns its output for the object. Rejects with a SchemaError if the object does not fit. */
  hgetdel<S extends StandardSchema>(
    key: Key,
    ...fieldsAndSchema: [...fields: (string | number)[], opts: SchemaOption<S>]
  ): Reply<K, InferOutput<S> | null>;
  /**
   * Returns fields as an object, or null if none exists, and sets or removes their time to live. With `schema`, returns
   * its output for the object. Rejects with a SchemaError if the object does not fit.
   */
  hgetex<T extends object = Record<string, Stored<K> | null>, S extends StandardSchema = never>(
    key: Key,
    opts: HGetExCommandOptions & Partial<SchemaOption<S>>,
    ...fields: (string | number)[]
  ): Reply<K, CheckedValue<S, T> | null>;
  /**
   * Adds an integer to a field. Returns the new value.
   * @example
   * ```ts
   * await redis.hincrby("user:1", "age", 1); // 37
   * ```
   */
  hincrby(key: Key, field: Key, increment: number): Reply<K, number>;
  /** Adds a fraction to a field. Returns the new value. */
  hincrbyfloat(key: Key, field: Key, increment: number): Reply<K, number>;
  /** Returns the fields. */
  hkeys(key: Key): Reply<K, string[]>;
  /** Returns how many fields there are. */
  hlen(key: Key): Reply<K, number>;
  /** Returns fields as an object, with null for missing fields, or null if none exists. */
  hmget<T extends object = Record<string, Stored<K> | null>>(
    key: Key,
    ...fields: NoInfer<keyof T & string>[]
  ): Reply<K, T | null>;
  /** With `schema`, returns its output for the object. Rejects with a SchemaError if the object does not fit. */
  hmget<S extends StandardSchema>(
    key: Key,
    ...fieldsAndSchema: [...fields: string[], opts: SchemaOption<S>]
  ): Reply<K, InferOutput<S> | null>;
  /** The older name of hset. */
  hmset<T = unknown, Tag = never>(key: Key, kv: Record<string, StorableField<K, T, Tag>>): Reply<K, "OK">;
  /** Sets fields given as alternating fields and values. */
  hmset<T = unknown, Tag = never>(
    key: Key,
    field: Key,
    value: StorableValue<K, T, Tag>,
    ...fieldsAndValues: (Key | StorableValue<K, T, Tag>)[]
  ): Reply<K, "OK">;
  /** Removes fields' time to live. Returns for each field 1; -1 if it had none; -2 if it does not exist. */
  hpersist(key: Key, fields: HashFields): Reply<K, (-2 | -1 | 1)[]>;
  /** Sets fields' time to live, in milliseconds. Returns the codes of hexpire, one per field. */
  hpexpire(key: Key, fields: HashFields, milliseconds: number, option?: ExpireOption): Reply<K, ExpireCode[]>;
  /** Sets when fields expire, in milliseconds since 1970. Returns the codes of hexpire, one per field. */
  hpexpireat(key: Key, fields: HashFields, timestamp: number, option?: ExpireOption): Reply<K, ExpireCode[]>;
  /** Returns when fields expire, in milliseconds since 1970; -1 if never, -2 for a missing field. */
  hpexpiretime(key: Key, fields: HashFields): Reply<K, number[]>;
  /** Returns fields' time to live, in milliseconds; -1 if there is none, -2 for a missing field. */
  hpttl(key: Key, fields: HashFields): Reply<K, number[]>;
  /** Returns a random field, or null; with a count an array of fields; with values an object. */
  hrandfield(key: Key): Reply<K, string | null>;
  /** Returns random fields: distinct ones, or with a negative count possibly repeated. */
  hrandfield(key: Key, count: number, withValues?: false): Reply<K, string[]>;
  /** Returns random fields and their values. */
  hrandfield<T extends object = Record<string, Stored<K>>>(
    key: Key,
    count: number,
    withValues: true,
  ): Reply<K, Partial<T>>;
  /** Returns random fields, and their values if they are requested. */
  hrandfield<T extends object = Record<string, Stored<K>>>(
    key: Key,
    count: number,
    withValues: boolean | undefined,
  ): Reply<K, Partial<T> | string[]>;
  /** Returns the next cursor, "0" at the end, and a page of alternating fields and values; with `noValues` of fields alone. */
  hscan<T = Stored<K, string | number>>(
    key: Key,
    cursor: string | number,
    opts?: CollectionScanOptions & { noValues?: boolean | undefined },
  ): Reply<K, [cursor: string, fieldsAndValues: (string | T)[]]>;
  /**
   * Sets each field of the object. Returns how many are new.
   * @example
   * ```ts
   * await redis.hset("user:1", { name: "Ada", age: 36 }); // 2 new fields
   * ```
   */
  hset<T = unknown, Tag = never>(key: Key, kv: Record<string, StorableField<K, T, Tag>>): Reply<K, number>;
  /** Sets alternating fields and values: `hset(key, "name", "Ada", "age", 36)`. Returns how many are new. */
  hset<T = unknown, Tag = never>(
    key: Key,
    field: Key,
    value: StorableValue<K, T, Tag>,
    ...fieldsAndValues: (Key | StorableValue<K, T, Tag>)[]
  ): Reply<K, number>;
  /** Sets fields with a time to live. Returns 1 if they were set, 0 if `conditional` prevented it. */
  hsetex<T = unknown, Tag = never>(
    key: Key,
    opts: HSetExCommandOptions,
    kv: Record<string, StorableField<K, T, Tag>>,
  ): Reply<K, number>;
  /** Sets a field if it does not exist. Returns 1 if it was set, else 0. */
  hsetnx<T = unknown, Tag = never>(key: Key, field: Key, value: StorableValue<K, T, Tag>): Reply<K, 0 | 1>;
  /** Returns the length of a field's value in bytes. */
  hstrlen(key: Key, field: Key): Reply<K, number>;
  /** Returns fields' time to live, in seconds; -1 if there is none, -2 for a missing field. */
  httl(key: Key, fields: HashFields): Reply<K, number[]>;
  /** Returns the values. */
  hvals<T extends unknown[] = StoredList<K, any>>(key: Key): Reply<K, T>;
  /** As above, but `T` is the type of each value. */
  hvals<T = never>(key: Key, ...none: IfNamed<T, []>): Reply<K, T[]>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  hvals<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S>[]>;
}

export default defineCommands(() => {
  const fields = prefixed("FIELDS", counted);
  const fieldList = countedRest("FIELDS");
  const ofFields = read(list(int), scalar, fields);

  // The methods take the fields before the time, Redis after it.
  const expiring = reordered([0, 2, 3, 1], write(list(int), scalar, scalar, optional(scalar), fields));

  const whole = object(value);

  return {
    hdel: write(int, scalar, rest(scalars)),
    hexists: read(int, scalar, scalar),
    hexpire: expiring,
    hexpireat: expiring,
    hexpiretime: ofFields,
    hget: checked(read(orNull(value), scalar, scalar)),
    hgetall: checked(
      read(
        orNull((...reply) => ((reply[0] as unknown[]).length === 0 ? null : whole(...reply))),
        scalar,
      ),
      "whole",
    ),
    hgetdel: checked(write(byField(1), scalar, fieldList), "whole"),
    hgetex: checked(write(byField(2), scalar, options("ex px exat pxat persist?"), fieldList), "whole"),
    hincrby: write(int, scalar, scalar, scalar),
    hincrbyfloat: write(float, scalar, scalar, scalar),
    hkeys: read(list(text), scalar),
    hlen: read(int, scalar),
    hmget: checked(read(byField(1), scalar, rest(scalars)), "whole"),
    hmset: write(text, scalar, entriesOrPairs),
    hpersist: write(list(int), scalar, fields),
    hpexpire: expiring,
    hpexpireat: expiring,
    hpexpiretime: ofFields,
    hpttl: ofFields,
    hrandfield: read(
      when(2, undefined, whole, oneOrMany(text)),
      scalar,
      optional(scalar),
      flag("WITHVALUES"),
    ),
    hscan: read(
      tuple(text, when(2, "noValues", list(text), alternating(text, value))),
      scalar,
      scalar,
      options("match count noValues?"),
    ),
    hset: write(int, scalar, entriesOrPairs),
    hsetex: write(
      int,
      scalar,
      options("conditional= expiration=", { expiration: options("ex px exat pxat keepttl?") }),
      prefixed("FIELDS", countedEntries),
    ),
    hsetnx: write(int, scalar, scalar, stored),
    hstrlen: read(int, scalar, scalar),
    httl: ofFields,
    hvals: checked(read(list(value), scalar)),
  };
}) satisfies () => Record<keyof HashCommands<ReplyMode>, unknown>;
