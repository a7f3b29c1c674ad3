import { countedEntries, entriesOrPairs, options, rest, scalar, scalars, stored } from "./args.js";
import { float, int, list, object, orNull, text, tuple, value, when } from "./decoders.js";
import { checked, defineCommands, read, write, writeIf } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { CheckedValue, InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { Decoder } from "./spec.js";
import type { StorableField, StorableValue } from "./storable.js";
import type {
  AtMostOne,
  ExistenceCondition,
  ExpirationOrKeepTtl,
  ExpirationOrPersist,
  IfGiven,
  IfNamed,
  IfNone,
  OneOrMoreKeys,
  OnlyKnown,
} from "./types.js";

/** A comparison with the stored value, or with its digest. */
export interface ValueComparison {
  /** Only if the stored value equals this one. */
  ifEq: unknown;
  /** Only if the stored value differs from this one. */
  ifNe: unknown;
  /** Only if the stored value has this digest: 16 hexadecimal digits, as `digest` returns them. */
  ifDeq: string;
  /** Only if the stored value has another digest than this one. */
  ifDne: string;
}

/** A condition: the stored value, or its digest, equals or differs from the given one. */
export type Comparison = AtMostOne<ValueComparison, "only one of ifEq, ifNe, ifDeq and ifDne">;

/** A time to live for all keys, and whether they must be new (`nx`) or must exist (`xx`). */
export type MSetExOptions = AtMostOne<ExpirationOrKeepTtl, "only one of ex, px, exat, pxat and keepTtl"> &
  AtMostOne<ExistenceCondition, "only one of nx and xx">;

/** An increment. Default 1. */
export interface IncrementOption {
  /** The number to add, an integer. */
  byInt: number;
  /** The number to add. */
  byFloat: number;
}

/** The increment, its bounds, and the key's time to live. */
export type IncrExOptions = AtMostOne<IncrementOption, "only one of byInt and byFloat"> & {
  /** The lowest number that may result. If the result would be lower, nothing is added. */
  lBound?: number | undefined;
  /** The highest number that may result. If the result would be higher, nothing is added. */
  uBound?: number | undefined;
  /** Adds as much as the bounds allow. */
  saturate?: boolean | undefined;
  /** Sets the time to live only if the key has none. */
  enx?: boolean | undefined;
} & AtMostOne<ExpirationOrPersist, "only one of ex, px, exat, pxat and persist">;

/** Whether set returns the previous value. */
export interface PreviousValueOption {
  /** Returns the previous value, or null, rather than "OK". */
  get?: boolean | undefined;
}

/** Conditions of set: at most one of them. */
export interface SetCondition extends ExistenceCondition, ValueComparison {}

/** Conditions of set, the key's time to live, and whether the previous value is returned. */
export type SetCommandOptions = PreviousValueOption &
  AtMostOne<ExpirationOrKeepTtl> &
  AtMostOne<SetCondition>;

/** {@link SetCommandOptions}, with a reason where an option excludes another. */
export type SetOptions = PreviousValueOption &
  AtMostOne<ExpirationOrKeepTtl, "only one of ex, px, exat, pxat and keepTtl"> &
  AtMostOne<SetCondition, "only one of nx, xx, ifEq, ifNe, ifDeq and ifDne">;

/** The result of set with the options `O`, where a stored value is a `T`. */
export type SetResult<T, O> = O extends { get: true }
  ? T | null
  :
      | "OK"
      | IfGiven<O, "get", T | null>
      | IfGiven<O, "nx" | "xx", null>
      | (keyof O & keyof ValueComparison extends never ? never : null);

/** A time to live, or `persist` to remove it. */
export type GetExCommandOptions = AtMostOne<
  ExpirationOrPersist,
  "only one of ex, px, exat, pxat and persist"
>;

/** The form of the result of lcs. Default: the longest common subsequence itself. */
export interface LcsOptions<Len extends boolean = boolean, Idx extends boolean = boolean> {
  /** Returns the length only, in bytes. */
  len?: Len | undefined;
  /** Returns the positions of the matches. */
  idx?: Idx | undefined;
  /** With `idx`, leaves out matches shorter than this number of bytes. */
  minMatchLen?: number | undefined;
  /** With `idx`, also returns each match's length. */
  withMatchLen?: boolean | undefined;
}

/** The matches of lcs, the last one first. */
export interface LcsMatches {
  /** For each match its range of bytes in the first and in the second string, and its length if requested. */
  matches: [first: [from: number, to: number], second: [from: number, to: number], length?: number][];
  /** The length of the subsequence in bytes. */
  len: number;
}

/** The result of lcs by its options `len` and `idx`. */
export type LcsResult<Len extends boolean, Idx extends boolean> = Idx extends true
  ? LcsMatches
  : Len extends true
    ? number
    : string;

/** Commands on strings. */
export interface StringCommands<K extends ReplyMode> {
  /** Appends text. Returns the new length in bytes. */
  append(key: Key, value: string | Uint8Array): Reply<K, number>;
  /** Subtracts one. Returns the new value. */
  decr(key: Key): Reply<K, number>;
  /** Subtracts an integer. Returns the new value. */
  decrby(key: Key, decrement: number): Reply<K, number>;
  /** Removes the key if its value, or the digest of it, meets the condition. Returns 1 if removed, else 0. */
  delex(key: Key, condition?: Comparison): Reply<K, number>;
  /** Returns a digest of the value as 16 hexadecimal digits, or null. */
  digest(key: Key): Reply<K, string | null>;
  /**
   * Returns the value, or null if the key does not exist. Text becomes a number only if the number prints as the
   * very same text, and an integer is within ±`Number.MAX_SAFE_INTEGER`: after `set("n", 2 ** 53)` it is the string
   * `"9007199254740992"`. An object or array is parsed unless a number inside would lose digits.
   * @example
   * ```ts
   * await redis.get("user:1"); // { name: "Ada" }, or null
   * await redis.get<User>("user:1"); // typed User | null
   * ```
   */
  get<T = Stored<K>>(key: Key): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  get<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** Removes the key. Returns its value, or null. */
  getdel<T = Stored<K>>(key: Key): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  getdel<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /**
   * Returns the value, or null, and sets or removes its time to live. Without options it only reads. With `schema`, returns
   * its output for the value. Rejects with a SchemaError if the value does not fit.
   */
  getex<T = Stored<K>, S extends StandardSchema = never>(
    key: Key,
    opts?: GetExCommandOptions & Partial<SchemaOption<S>>,
  ): Reply<K, CheckedValue<S, T> | null>;
  /** Returns the text between two byte offsets, both included; negative ones count from the end. */
  getrange(key: Key, start: number, end: number): Reply<K, string>;
  /** Sets the value. Returns the previous one, or null. */
  getset<T = unknown, Tag = never>(key: Key, value: StorableValue<K, T, Tag>): Reply<K, Stored<K, T> | null>;
  /**
   * Adds one. Returns the new value.
   * @example
   * ```ts
   * await redis.incr("visits"); // 1, then 2
   * ```
   */
  incr(key: Key): Reply<K, number>;
  /** Adds an integer. Returns the new value. */
  incrby(key: Key, value: number): Reply<K, number>;
  /** Adds within bounds and sets a time to live. Returns the new value and what was added. */
  increx(key: Key, opts?: IncrExOptions): Reply<K, [value: number, added: number]>;
  /** Adds a fraction. Returns the new value. */
  incrbyfloat(key: Key, value: number): Reply<K, number>;
  /** Returns the longest common subsequence of two strings, its length, or the positions of its parts. */
  lcs<Len extends boolean = false, Idx extends boolean = false>(
    key1: Key,
    key2: Key,
    opts?: LcsOptions<Len, Idx>,
  ): Reply<K, LcsResult<Len, Idx>>;
  /**
   * Returns the values in the order of the keys, with null for missing keys. `T` is the type of the array, or of each value.
   * @example
   * ```ts
   * await redis.mget<[User, number]>("user:1", "visits"); // [{ name: "Ada" }, 2]
   * ```
   */
  mget<T extends unknown[] = (Stored<K> | null)[], Given extends Key[] = Key[]>(
    ...keys: OneOrMoreKeys<Given> | [keys: Key[]]
  ): Reply<K, T>;
  /** As above, but `T` is the type of each value. */
  mget<T = never>(first: Key | Key[], ...keys: IfNamed<T, Key[]>): Reply<K, (T | null)[]>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  mget<S extends StandardSchema>(
    ...keysAndSchema: [...keys: Key[], opts: SchemaOption<S>] | [keys: Key[], opts: SchemaOption<S>]
  ): Reply<K, (InferOutput<S> | null)[]>;
  /**
   * Sets each key of the object.
   * @example
   * ```ts
   * await redis.mset({ "user:1": { name: "Ada" }, visits: 2 }); // "OK"
   * ```
   */
  mset<T = unknown, Tag = never>(kv: Record<string, StorableField<K, T, Tag>>): Reply<K, "OK">;
  /** Sets keys given as alternating keys and values. */
  mset<T = unknown, Tag = never>(
    key: Key,
    value: StorableValue<K, T, Tag>,
    ...keysAndValues: (Key | StorableValue<K, T, Tag>)[]
  ): Reply<K, "OK">;
  /** Sets keys with one time to live for all. Returns 1 if they were set, 0 if `nx` or `xx` prevented it. */
  msetex<T = unknown, Tag = never>(
    kv: Record<string, StorableField<K, T, Tag>>,
    opts?: MSetExOptions,
  ): Reply<K, number>;
  /** Sets each key of the object if none of them exists. Returns 1 if they were set, else 0. */
  msetnx<T = unknown, Tag = never>(kv: Record<string, StorableField<K, T, Tag>>): Reply<K, number>;
  /** Sets alternating keys and values if none of the keys exists. Returns 1 if they were set, else 0. */
  msetnx<T = unknown, Tag = never>(
    key: Key,
    value: StorableValue<K, T, Tag>,
    ...keysAndValues: (Key | StorableValue<K, T, Tag>)[]
  ): Reply<K, number>;
  /** Sets the value with a time to live in milliseconds. */
  psetex<T = unknown, Tag = never>(key: Key, ttl: number, value: StorableValue<K, T, Tag>): Reply<K, string>;
  /**
   * Sets the value. Returns "OK".
   * @example
   * ```ts
   * await redis.set("user:1", { name: "Ada" }); // "OK"
   * ```
   */
  set<T = unknown, Tag = never>(key: Key, value: StorableValue<K, T, Tag>): Reply<K, "OK">;
  /**
   * Sets the value. Returns "OK"; with a condition null if it prevented the change; with `get` the previous value, or null.
   * @example
   * ```ts
   * await redis.set("session:1", "Ada", { ex: 60 }); // "OK", for 60 seconds
   * await redis.set("lock", "mine", { nx: true, px: 5000 }); // "OK", or null if another has it
   * ```
   */
  set<T = unknown, O extends SetOptions & OnlyKnown<O, SetOptions> = SetOptions, Tag = never>(
    key: Key,
    value: StorableValue<K, T, Tag>,
    opts: O | IfNone<O, SetOptions> | undefined,
  ): Reply<K, SetResult<Stored<K, T>, O>>;
  /** Sets the value with a time to live in seconds. */
  setex<T = unknown, Tag = never>(key: Key, ttl: number, value: StorableValue<K, T, Tag>): Reply<K, "OK">;
  /** Sets the value if the key does not exist. Returns 1 if it was set, else 0. */
  setnx<T = unknown, Tag = never>(key: Key, value: StorableValue<K, T, Tag>): Reply<K, number>;
  /** Overwrites from a byte offset on. Returns the new length in bytes. */
  setrange(key: Key, offset: number, value: string | Uint8Array): Reply<K, number>;
  /** Returns the length in bytes, 0 if the key does not exist. */
  strlen(key: Key): Reply<K, number>;
  /** The older name of getrange. */
  substr(key: Key, start: number, end: number): Reply<K, string>;
}

export default defineCommands(() => {
  const range = tuple(int, int);

  const matches: Decoder = (reply, decode, args) => {
    const match = tuple(range, range, ...(args[2].withMatchLen ? [int] : []));
    return object((part) => (Array.isArray(part) ? list(match)(part, decode, args) : int(part)))(
      reply,
      decode,
      args,
    );
  };

  const expiring = "ex px exat pxat keepTtl?";

  const comparing = "ifEq:& ifNe:& ifDeq& ifDne&";

  return {
    append: write(int, scalar, scalar),
    decr: write(int, scalar),
    decrby: write(int, scalar, scalar),
    delex: write(int, scalar, options(comparing)),
    digest: read(orNull(text), scalar),
    get: checked(read(orNull(value), scalar)),
    getdel: checked(write(orNull(value), scalar)),
    getex: checked(
      writeIf((args) => args.length > 1)(orNull(value), scalar, options("ex px exat pxat persist?")),
    ),
    getrange: read(text, scalar, scalar, scalar),
    getset: write(orNull(value), scalar, stored),
    incr: write(int, scalar),
    incrby: write(int, scalar, scalar),
    incrbyfloat: write(float, scalar, scalar),
    increx: write(
      when(1, "byFloat", tuple(float, float), tuple(int, int)),
      scalar,
      options("byFloat byInt saturate? lBound uBound ex px exat pxat persist? enx?"),
    ),
    lcs: read(
      when(2, "idx", matches, when(2, "len", int, text)),
      scalar,
      scalar,
      options("len? idx? minMatchLen withMatchLen?"),
    ),
    mget: checked(read(list(orNull(value)), rest(scalars))),
    mset: write(text, entriesOrPairs),
    msetex: write(int, countedEntries, options(`nx? xx? ${expiring}`)),
    msetnx: write(int, entriesOrPairs),
    psetex: write(text, scalar, scalar, stored),
    set: write(
      orNull(when(2, "get", value, text)),
      scalar,
      stored,
      options(`${comparing} nx? xx? get? ${expiring}`),
    ),
    setex: write(text, scalar, scalar, stored),
    setnx: write(int, scalar, stored),
    setrange: write(int, scalar, scalar, scalar),
    strlen: read(int, scalar),
    substr: read(text, scalar, scalar, scalar),
  };
}) satisfies () => Record<keyof StringCommands<ReplyMode>, unknown>;
