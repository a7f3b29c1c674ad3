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

/** What to add, within which bounds, and the key's time to live. */
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
  /** Give the value that was there before. */
  get?: boolean;
} & AtMostOne<Expiration & { keepTtl: boolean }> &
  AtMostOne<{ nx: boolean; xx: boolean; ifEq: unknown; ifNe: unknown; ifDeq: string; ifDne: string }>;

/** A time to live, or `persist` to remove it. */
export type GetExCommandOptions = AtMostOne<Expiration & { persist: boolean }>;

/** What lcs gives; without options the longest common subsequence itself. */
export interface LcsOptions {
  /** Give the length only. */
  len?: boolean;
  /** Give where the matches are. */
  idx?: boolean;
  /** With `idx`, leave out matches shorter than this. */
  minMatchLen?: number;
  /** With `idx`, give each match's length too. */
  withMatchLen?: boolean;
}

/** Matches, last first: where in the first and in the second string, from and to, and the match's length if asked. */
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
  /** Appends text. Gives the length in bytes afterwards. */
  append(key: Key, value: string | Uint8Array): Reply<K, number>;
  /** Subtracts one. Gives the number afterwards. */
  decr(key: Key): Reply<K, number>;
  /** Subtracts an integer. Gives the number afterwards. */
  decrby(key: Key, decrement: number): Reply<K, number>;
  /** Removes the key if its value, or its value's digest, compares as asked. Gives 1 if it was removed, else 0. */
  delex(key: Key, condition?: Comparison): Reply<K, number>;
  /** Gives a digest of the value as 16 hexadecimal digits, or null. */
  digest(key: Key): Reply<K, string | null>;
  /**
   * Returns the value, or null if the key does not exist. Text becomes a number only where printing the number gives the
   * very same text and an integer lies within ±`Number.MAX_SAFE_INTEGER`: after `set("n", 2 ** 53)` it is the string
   * `"9007199254740992"`. An object or array is parsed unless a number inside would lose digits.
   * @see https://redis.io/docs/latest/commands/get/
   */
  get<T = unknown>(key: Key): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  get<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** Removes the key. Gives the value it had, or null. */
  getdel<T = unknown>(key: Key): Reply<K, T | null>;
  /** The same, checked: the value is what the schema makes of it, or the call rejects with a SchemaError. */
  getdel<S extends StandardSchema>(key: Key, opts: SchemaOption<S>): Reply<K, InferOutput<S> | null>;
  /** Gives the value, or null, and sets or removes its time to live. Without options it only reads. */
  getex<S extends StandardSchema>(
    key: Key,
    opts: GetExCommandOptions & SchemaOption<S>,
  ): Reply<K, InferOutput<S> | null>;
  /** Gives the value, or null, and sets or removes its time to live. Without options it only reads. */
  getex<T = unknown>(key: Key, opts?: GetExCommandOptions): Reply<K, T | null>;
  /** Gives the text between two byte offsets, both included; negative ones count from the end. */
  getrange(key: Key, start: number, end: number): Reply<K, string>;
  /** Sets the value. Gives the one before, or null. */
  getset<T = unknown>(key: Key, value: T): Reply<K, T | null>;
  /** Adds one. Gives the number afterwards. */
  incr(key: Key): Reply<K, number>;
  /** Adds an integer. Gives the number afterwards. */
  incrby(key: Key, value: number): Reply<K, number>;
  /** Adds within bounds and sets a time to live. Gives the number afterwards and what was added. */
  increx(key: Key, opts?: IncrExOptions): Reply<K, [value: number, added: number]>;
  /** Adds a fraction. Gives the number afterwards. */
  incrbyfloat(key: Key, value: number): Reply<K, number>;
  /** Gives the longest common subsequence of two strings, its length, or where its parts are. */
  lcs<O extends LcsOptions = Record<never, never>>(key1: Key, key2: Key, opts?: O): Reply<K, LcsResult<O>>;
  /** Gives the values in the order of the keys, null where there is none. */
  mget<T extends unknown[] = unknown[]>(...keys: Key[] | [Key[]]): Reply<K, T>;
  /** The same, checked: each value is what the schema makes of it, or the call rejects with a SchemaError. */
  mget<S extends StandardSchema>(
    ...keysAndSchema: [...keys: Key[], opts: SchemaOption<S>] | [keys: Key[], opts: SchemaOption<S>]
  ): Reply<K, (InferOutput<S> | null)[]>;
  /** Sets each key of the object. */
  mset<T = unknown>(kv: Record<string, T>): Reply<K, "OK">;
  /** The same with key and value in turn. */
  mset<T = unknown>(key: Key, value: T, ...more: (Key | T)[]): Reply<K, "OK">;
  /** Sets each key of the object, with one time to live for all. Gives 1 if they were set, 0 if `nx` or `xx` is against it. */
  msetex<T = unknown>(kv: Record<string, T>, opts?: MSetExOptions): Reply<K, number>;
  /** Sets each key of the object if none of them exists. Gives 1 if they were set, else 0. */
  msetnx<T = unknown>(kv: Record<string, T>): Reply<K, number>;
  /** The same with key and value in turn. */
  msetnx<T = unknown>(key: Key, value: T, ...more: (Key | T)[]): Reply<K, number>;
  /** Sets the value with a time to live in milliseconds. */
  psetex<T = unknown>(key: Key, ttl: number, value: T): Reply<K, string>;
  /** Sets the value. Gives "OK"; null if `nx` or `xx` kept it from being set; with `get` the value before, or null. */
  set<T = unknown>(key: Key, value: T, opts?: SetCommandOptions): Reply<K, "OK" | T | null>;
  /** Sets the value with a time to live in seconds. */
  setex<T = unknown>(key: Key, ttl: number, value: T): Reply<K, "OK">;
  /** Sets the value if the key does not exist. Gives 1 if it was set, else 0. */
  setnx<T = unknown>(key: Key, value: T): Reply<K, number>;
  /** Overwrites from a byte offset on. Gives the length in bytes afterwards. */
  setrange(key: Key, offset: number, value: string | Uint8Array): Reply<K, number>;
  /** Gives the length in bytes, 0 where there is no key. */
  strlen(key: Key): Reply<K, number>;
  /** The older name of getrange. */
  substr(key: Key, start: number, end: number): Reply<K, string>;
}

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

export const stringCommands = defineCommands(() => ({
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
})) satisfies () => Record<keyof StringCommands<ReplyMode>, unknown>;
