import { float, int, list, object, orNull, text, tuple, value, when } from "./decoders.js";
import type { Key, Kind, Reply } from "./kind.js";
import { named, read, write, writeIf } from "./rows.js";
import type { AtMostOne, Expiration } from "./types.js";
import { arg, data, entries, options } from "./words.js";

export type SetCommandOptions = {
  /** Give the value that was there before. */
  get?: boolean;
} & AtMostOne<Expiration & { keepTtl: boolean }> &
  AtMostOne<{ nx: boolean; xx: boolean }>;

export type GetExCommandOptions = AtMostOne<Expiration & { persist: boolean }>;

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
  matches: [first: [from: number, to: number], second: [from: number, to: number], length?: number][];
  len: number;
}

export type LcsResult<O extends LcsOptions> = O extends { idx: true }
  ? LcsMatches
  : O extends { len: true }
    ? number
    : string;

export interface StringCommands<K extends Kind> {
  /** Appends text. Gives the length in bytes afterwards. */
  append(key: Key, value: string | Uint8Array): Reply<K, number>;
  /** Subtracts one. Gives the number afterwards. */
  decr(key: Key): Reply<K, number>;
  /** Subtracts an integer. Gives the number afterwards. */
  decrby(key: Key, decrement: number): Reply<K, number>;
  /** Gives the value, or null where there is none. */
  get<T = unknown>(key: Key): Reply<K, T | null>;
  /** Removes the key. Gives the value it had, or null. */
  getdel<T = unknown>(key: Key): Reply<K, T | null>;
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
  /** Adds a fraction. Gives the number afterwards. */
  incrbyfloat(key: Key, value: number): Reply<K, number>;
  /** Gives the longest common subsequence of two strings, its length, or where its parts are. */
  lcs<O extends LcsOptions = Record<never, never>>(key1: Key, key2: Key, opts?: O): Reply<K, LcsResult<O>>;
  /** Gives the values in the order of the keys, null where there is none. */
  mget<T extends unknown[] = unknown[]>(...keys: Key[] | [Key[]]): Reply<K, T>;
  /** Sets each key of the object. */
  mset<T = unknown>(kv: Record<string, T>): Reply<K, "OK">;
  /** Sets each key of the object if none of them exists. Gives 1 if they were set, else 0. */
  msetnx<T = unknown>(kv: Record<string, T>): Reply<K, number>;
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

const matches = object((reply, decode, args) =>
  Array.isArray(reply) ? ranges(reply, decode, args) : int(reply),
);
const range = tuple(int, int);
const ranges = list((match, decode, args) =>
  tuple(range, range, ...(args[2].withMatchLen ? [int] : []))(match, decode, args),
);

export const stringCommands = named({
  append: write(int),
  decr: write(int),
  decrby: write(int),
  get: read(orNull(value)),
  getdel: write(orNull(value)),
  getex: writeIf((words) => words.length > 1)(orNull(value), arg, options("ex px exat pxat persist")),
  getrange: read(text),
  getset: write(orNull(value), arg, data),
  incr: write(int),
  incrby: write(int),
  incrbyfloat: write(float),
  lcs: read(
    when(
      ([, , opts]) => opts?.idx,
      matches,
      when(([, , opts]) => opts?.len, int, text),
    ),
    arg,
    arg,
    options("len idx minMatchLen withMatchLen"),
  ),
  mget: read(list(orNull(value))),
  mset: write(text, entries),
  msetnx: write(int, entries),
  psetex: write(text, arg, arg, data),
  set: write(
    orNull(when(([, , opts]) => opts?.get, value, text)),
    arg,
    data,
    options("nx xx get ex px exat pxat keepTtl"),
  ),
  setex: write(text, arg, arg, data),
  setnx: write(int, arg, data),
  setrange: write(int),
  strlen: read(int),
  substr: read(text),
}) satisfies Record<keyof StringCommands<Kind>, unknown>;
