import {
  condition,
  countedEntries,
  entriesOrPairs,
  optional,
  options,
  prefixed,
  rest,
  scalar,
  scalars,
  sequence,
  stored,
} from "./args.js";
import { float, int, list, object, orNull, text, tuple, value, when } from "./decoders.js";
import { checked, defineCommands, read, write, writeIf } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { InferOutput, SchemaOption, StandardSchema } from "./schema.js";
import type { Decoder } from "./spec.js";
import type { AtMostOne, Expiration } from "./types.js";

/** Whether the stored value, or its digest, is or is not the one given. */
export type Comparison = AtMostOne<{ ifEq: unknown; ifNe: unknown; ifDeq: string; ifDne: string }>;

/** A time to live for all keys, and whether they must be new (`nx`) or be there (`xx`). */
export type MSetExOptions = AtMostOne<Expiration & { keepTtl: boolean }> &
  AtMostOne<{ nx: boolean; xx: boolean }>;

/** The increment, its bounds, and the key's time to live. */
export type IncrExOptions = AtMostOne<{ byInt: number; byFloat: number }> & {
  /** The lowest and the highest the number may become; beyond it nothing is added. */
  lBound?: number;
  uBound?: number;
  /** Add as much as the bounds allow. */
  saturate?: boolean;
  /** Set the time to live only where there is none. */
  enx?: boolean;
} & AtMostOne<Expiration & { persist: boolean }>;

/** Conditions of set, the key's time to live, and what is given. */
export type SetCommandOptions = {
  /** Returns the value that was there before. */
  get?: boolean;
} & AtMostOne<Expiration & { keepTtl: boolean }> &
  AtMostOne<{ nx: boolean; xx: boolean; ifEq: unknown; ifNe: unknown; ifDeq: string; ifDne: string }>;

/** A time to live, or `persist` to remove it. */
export type GetExCommandOptions = AtMostOne<Expiration & { persist: boolean }>;

/** The form of the result of lcs. Default: the longest common subsequence itself. */
export interface LcsOptions {
  /** Returns the length only. */
  len?: boolean;
  /** Returns where the matches are. */
  idx?: boolean;
  /** With `idx`, leave out matches shorter than this. */
  minMatchLen?: number;
  /** With `idx`, also returns each match's length. */
  withMatchLen?: boolean;
}

/** Matches, last first: where in the first and in the second string, from and to, and the match's length if requested. */
export interface LcsMatches {
  /** Ranges of bytes that are the same in both. */
  matches: [first: [from: number, to: number], second: [from: number, to: number], length?: number][];
  /** The length of the subsequence in bytes. */
  len: number;
}

export type LcsResult<O extends LcsOptions> = O extends { idx: true }
  ? LcsMatches
  : O extends { len: true }
    ? number
    : string;

export interface StringCommands<K extends ReplyMode> {
  /**
   * Appends text. Returns the new length in bytes.
   * @see https://redis.io/commands/append/
   */
  append(key: Key, value: string | Uint8Array): Reply<K, number>;
  /**
   * Subtracts one. Returns the new value.
   * @see https://redis.io/commands/decr/
   */
  decr(key: Key): Reply<K, number>;
  /**
   * Subtracts an integer. Returns the new value.
   * @see https://redis.io/commands/decrby/
   */
  decrby(key: Key, decrement: number): Reply<K, number>;
  /**
   * Removes the key if its value, or its value's digest, meets the condition. Returns 1 if it was removed, else 0.
   * @see https://redis.io/commands/delex/
   */
  delex(key: Key, condition?: Comparison): Reply<K, number>;
  /**
   * Returns a digest of the value as 16 hexadecimal digits, or null.
   * @see https://redis.io/commands/digest/
   */
  digest(key: Key): Reply<K, string | null>;
  /**
   * Returns the value, or null if the key does not exist. Text becomes a number only where printing the number gives the
   * very same text and an integer lies within ±`Number.MAX_SAFE_INTEGER`: after `set("n", 2 ** 53)` it is the string
   * `"9007199254740992"`. An object or array is parsed unless a number inside would lose digits.
   * @see https://redis.io/commands/get/
   */
  get<T = unknown>(key: Key): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  get<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /**
   * Removes the key. Returns its value, or null.
   * @see https://redis.io/commands/getdel/
   */
  getdel<T = unknown>(key: Key): Reply<K, T | null>;
  /** With `schema`, returns its output for the value. Rejects with a SchemaError if the value does not fit. */
  getdel<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /**
   * Returns the value, or null, and sets or removes its time to live. Without options it only reads.
   * @see https://redis.io/commands/getex/
   */
  getex<S extends StandardSchema>(
    key: Key,
    opts: GetExCommandOptions & SchemaOption<S>,
  ): Reply<K, InferOutput<S> | null>;
  /** Returns the value, or null, and sets or removes its time to live. Without options it only reads. */
  getex<T = unknown>(key: Key, opts?: GetExCommandOptions): Reply<K, T | null>;
  /**
   * Returns the text between two byte offsets, both included; negative ones count from the end.
   * @see https://redis.io/commands/getrange/
   */
  getrange(key: Key, start: number, end: number): Reply<K, string>;
  /**
   * Sets the value. Returns the previous one, or null.
   * @see https://redis.io/commands/getset/
   */
  getset<T = unknown>(key: Key, value: T): Reply<K, T | null>;
  /**
   * Adds one. Returns the new value.
   * @see https://redis.io/commands/incr/
   */
  incr(key: Key): Reply<K, number>;
  /**
   * Adds an integer. Returns the new value.
   * @see https://redis.io/commands/incrby/
   */
  incrby(key: Key, value: number): Reply<K, number>;
  /** Adds within bounds and sets a time to live. Returns the new value and what was added. */
  increx(key: Key, opts?: IncrExOptions): Reply<K, [value: number, added: number]>;
  /**
   * Adds a fraction. Returns the new value.
   * @see https://redis.io/commands/incrbyfloat/
   */
  incrbyfloat(key: Key, value: number): Reply<K, number>;
  /**
   * Returns the longest common subsequence of two strings, its length, or where its parts are.
   * @see https://redis.io/commands/lcs/
   */
  lcs<O extends LcsOptions = Record<never, never>>(key1: Key, key2: Key, opts?: O): Reply<K, LcsResult<O>>;
  /**
   * Returns the values in the order of the keys, null where there is none.
   * @see https://redis.io/commands/mget/
   */
  mget<T extends unknown[] = unknown[]>(...keys: Key[] | [Key[]]): Reply<K, T>;
  /** With `schema`, returns its output for each value. Rejects with a SchemaError if a value does not fit. */
  mget<S extends StandardSchema>(
    ...keysAndSchema: [...keys: Key[], opts: SchemaOption<S>] | [keys: Key[], opts: SchemaOption<S>]
  ): Reply<K, (InferOutput<S> | null)[]>;
  /**
   * Sets each key of the object.
   * @see https://redis.io/commands/mset/
   */
  mset<T = unknown>(kv: Record<string, T>): Reply<K, "OK">;
  /** Sets keys given as alternating keys and values. */
  mset<T = unknown>(key: Key, value: T, ...more: (Key | T)[]): Reply<K, "OK">;
  /**
   * Sets each key of the object, with one time to live for all. Returns 1 if they were set, 0 if `nx` or `xx` prevented it.
   * @see https://redis.io/commands/msetex/
   */
  msetex<T = unknown>(kv: Record<string, T>, opts?: MSetExOptions): Reply<K, number>;
  /**
   * Sets each key of the object if none of them exists. Returns 1 if they were set, else 0.
   * @see https://redis.io/commands/msetnx/
   */
  msetnx<T = unknown>(kv: Record<string, T>): Reply<K, number>;
  /** Sets alternating keys and values if none of the keys exists. Returns 1 if they were set, else 0. */
  msetnx<T = unknown>(key: Key, value: T, ...more: (Key | T)[]): Reply<K, number>;
  /**
   * Sets the value with a time to live in milliseconds.
   * @see https://redis.io/commands/psetex/
   */
  psetex<T = unknown>(key: Key, ttl: number, value: T): Reply<K, string>;
  /**
   * Sets the value. Returns "OK", or null if `nx` or `xx` prevented it; with `get` the previous value, or null.
   * @see https://redis.io/commands/set/
   */
  set<T = unknown>(key: Key, value: T, opts?: SetCommandOptions): Reply<K, "OK" | T | null>;
  /**
   * Sets the value with a time to live in seconds.
   * @see https://redis.io/commands/setex/
   */
  setex<T = unknown>(key: Key, ttl: number, value: T): Reply<K, "OK">;
  /**
   * Sets the value if the key does not exist. Returns 1 if it was set, else 0.
   * @see https://redis.io/commands/setnx/
   */
  setnx<T = unknown>(key: Key, value: T): Reply<K, number>;
  /**
   * Overwrites from a byte offset on. Returns the new length in bytes.
   * @see https://redis.io/commands/setrange/
   */
  setrange(key: Key, offset: number, value: string | Uint8Array): Reply<K, number>;
  /**
   * Returns the length in bytes, 0 where there is no key.
   * @see https://redis.io/commands/strlen/
   */
  strlen(key: Key): Reply<K, number>;
  /**
   * The older name of getrange.
   * @see https://redis.io/commands/substr/
   */
  substr(key: Key, start: number, end: number): Reply<K, string>;
}

export const stringCommands = defineCommands(() => {
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

  const comparing = sequence(
    condition("ifEq", prefixed("IFEQ", stored)),
    condition("ifNe", prefixed("IFNE", stored)),
    condition("ifDeq", prefixed("IFDEQ", scalar)),
    condition("ifDne", prefixed("IFDNE", scalar)),
  );

  return {
    append: write(int, scalar, scalar),
    decr: write(int, scalar),
    decrby: write(int, scalar, scalar),
    delex: write(int, scalar, comparing),
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
      optional(sequence(comparing, options(`nx? xx? get? ${expiring}`))),
    ),
    setex: write(text, scalar, scalar, stored),
    setnx: write(int, scalar, stored),
    setrange: write(int, scalar, scalar, scalar),
    strlen: read(int, scalar),
    substr: read(text, scalar, scalar, scalar),
  };
}) satisfies () => Record<keyof StringCommands<ReplyMode>, unknown>;
