import { array, either, entries, options, rest, scalar, scalars, stored } from "./args.js";
import {
  camel,
  digits,
  float,
  int,
  list,
  nestedText,
  object,
  orNull,
  tuple,
  value,
  when,
} from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { Decoder } from "./spec.js";
import type { StorableValue } from "./storable.js";
import type { OnlyKnown } from "./types.js";

/** An index up to 2^64 - 2, as text if a number would round it. */
export type ArrayIndex = number | string;

/** Settings of arinfo. */
export interface ArInfoOptions {
  /** Inspects every part of the array. */
  full?: boolean | undefined;
}

/** The memory layout of an array. Indexes are text. */
export interface ArInfoResult {
  /** The highest index that is set, plus one. */
  len: string;
  /** Number of values. */
  count: number;
  /** Number of indexes in a slice of the array. */
  sliceSize: number;
  /** Number of slices. */
  slices: number;
  /** Capacity of the directory, in slices. */
  directorySize: number;
  /** Number of directories above the first. */
  superDirEntries: number;
  /** Index of arinsert's next value. */
  nextInsertIndex: string;
  /** Number of slices stored as plain arrays. This and the following facts need `full`. */
  denseSlices?: number | undefined;
  /** Number of slices stored as pairs of index and value. */
  sparseSlices?: number | undefined;
  /** Average length of the dense slices. */
  avgDenseSize?: number | undefined;
  /** Average fill of the dense slices, from 0 to 1. */
  avgDenseFill?: number | undefined;
  /** Average number of pairs in the sparse slices. */
  avgSparseSize?: number | undefined;
}

/** The whole value, a part of it, a glob pattern, or a regular expression. */
export type ArGrepPredicate = { exact: string } | { match: string } | { glob: string } | { re: string };

/** Predicates of argrep, and the form of its result. */
export interface ArGrepOptions {
  /** One or more predicates that values are compared with. */
  predicates: ArGrepPredicate[];
  /** Whether all predicates must match, or one. Default: one. */
  combine?: "AND" | "OR" | "and" | "or" | undefined;
  /** Ignores case. */
  noCase?: boolean | undefined;
  /** Returns pairs of index and value rather than indexes. */
  withValues?: boolean | undefined;
  /** Maximum number of matches. */
  limit?: number | undefined;
}

/** Indexes, or with `withValues` pairs of index and value. */
export type ArGrepResult<T, O extends ArGrepOptions> = O extends { withValues: true }
  ? [string, T][]
  : O extends { withValues: false }
    ? string[]
    : "withValues" extends keyof O
      ? string[] | [string, T][]
      : string[];

/** Settings of arlastitems. */
export interface ArLastItemsOptions {
  /** The newest first. */
  rev?: boolean | undefined;
}

/** Settings of arscan. */
export interface ArScanOptions {
  /** Maximum number of values. */
  limit?: number | undefined;
}

/** Values by index, as an object or as pairs. */
export type ArMSetValues<T> = Record<number | string, T> | [ArrayIndex, T][];

/** The function that reduces a range to one number. */
export type ArOpKeyword = "SUM" | "MIN" | "MAX" | "AND" | "OR" | "XOR" | "USED";

/** The function that reduces a range to one number. `match` counts equal values. */
export type ArOpOperation<T = string> = ArOpKeyword | Lowercase<ArOpKeyword> | { match: T };

/** Commands on arrays. */
export interface ArrayCommands<K extends ReplyMode> {
  /** Returns how many values there are. */
  arcount(key: Key): Reply<K, number>;
  /** Removes values. Returns how many were removed. */
  ardel(key: Key, ...indexes: ArrayIndex[]): Reply<K, number>;
  /** Removes ranges of values, both ends included. Returns how many were removed. */
  ardelrange(key: Key, ...ranges: [start: ArrayIndex, end: ArrayIndex][]): Reply<K, number>;
  /** Returns a value, or null. */
  arget<T = Stored<K, string>>(key: Key, index: ArrayIndex): Reply<K, T | null>;
  /** Returns the values of a range, both ends included, with null for each index without a value. */
  argetrange<T = Stored<K, string>>(key: Key, start: ArrayIndex, end: ArrayIndex): Reply<K, (T | null)[]>;
  /** Returns the indexes of the values in a range that match. "-" and "+" are the lowest and highest index. */
  argrep<T = Stored<K, string>, O extends ArGrepOptions & OnlyKnown<O, ArGrepOptions> = ArGrepOptions>(
    key: Key,
    start: ArrayIndex,
    end: ArrayIndex,
    opts: O,
  ): Reply<K, ArGrepResult<T, O>>;
  /** Returns the memory layout of the array. Throws if the key does not exist. */
  arinfo(key: Key, opts?: ArInfoOptions): Reply<K, ArInfoResult>;
  /** Appends values at the cursor. Returns the index of the last one. */
  arinsert<T = unknown, Tag = never>(key: Key, ...values: StorableValue<K, T, Tag>[]): Reply<K, string>;
  /** Returns up to `count` of the values appended last, the oldest first. */
  arlastitems<T = Stored<K, string>>(
    key: Key,
    count: number,
    opts?: ArLastItemsOptions,
  ): Reply<K, (T | null)[]>;
  /** Returns the highest index that is used plus one. */
  arlen(key: Key): Reply<K, string>;
  /** Returns values in the order of the indexes, with null for each index without a value. */
  armget<T = Stored<K, string>>(key: Key, ...indexes: ArrayIndex[]): Reply<K, (T | null)[]>;
  /** Sets values. Returns how many are new. */
  armset<T = unknown>(key: Key, values: ArMSetValues<T>): Reply<K, number>;
  /** Returns the index that arinsert would use, or null at the end of all indexes. */
  arnext(key: Key): Reply<K, string | null>;
  /** Reduces the values of a range to one number. Returns null if none of them is a number. */
  arop<T = Stored<K, string>>(
    key: Key,
    start: ArrayIndex,
    end: ArrayIndex,
    operation: ArOpOperation<T>,
  ): Reply<K, number | null>;
  /** Appends values to a ring of `size`, which replaces its oldest values once it is full. Returns the index of the last one. */
  arring<T = unknown, Tag = never>(
    key: Key,
    size: number,
    ...values: StorableValue<K, T, Tag>[]
  ): Reply<K, string>;
  /** Returns pairs of index and value of a range, both ends included. */
  arscan<T = Stored<K, string>>(
    key: Key,
    start: ArrayIndex,
    end: ArrayIndex,
    opts?: ArScanOptions,
  ): Reply<K, [string, T][]>;
  /** Moves the cursor of arinsert. Returns 1, or 0 if the key does not exist. */
  arseek(key: Key, index: ArrayIndex): Reply<K, 0 | 1>;
  /** Sets values, the first at the index and the others after it. Returns how many are new. */
  arset<T = unknown, Tag = never>(
    key: Key,
    index: ArrayIndex,
    ...values: StorableValue<K, T, Tag>[]
  ): Reply<K, number>;
}

export default defineCommands(() => {
  const predicates = array(options("exact match glob re"));

  const grepping = options("predicates= combine= noCase? withValues? limit", { predicates });

  const operation = either((arg) => typeof arg === "string", scalar, options("match!:"));

  const pairs = array((out, arg, encode) => {
    scalar(out, arg?.[0], encode);
    stored(out, arg?.[1], encode);
  });

  const indexedPairs = list(tuple(digits, value));
  const values = list(orNull(value));

  const info: Decoder = (...reply) => {
    const facts = camel(object(nestedText)(...reply));
    for (const name in facts)
      facts[name] = (/^(len|nextInsertIndex)$/.test(name) ? String : Number)(facts[name]);
    return facts;
  };

  return {
    arcount: read(int, scalar),
    ardel: write(int, scalar, rest(scalars)),
    ardelrange: write(int, scalar, rest(array(scalar))),
    arget: read(orNull(value), scalar, scalar),
    argetrange: read(values, scalar, scalar, scalar),
    argrep: read(when(3, "withValues", indexedPairs, list(digits)), scalar, scalar, scalar, grepping),
    arinfo: read(info, scalar, options("full?")),
    arinsert: write(digits, scalar, rest(stored)),
    arlastitems: read(values, scalar, scalar, options("rev?")),
    arlen: read(digits, scalar),
    armget: read(values, scalar, rest(scalars)),
    armset: write(int, scalar, either(Array.isArray, pairs, entries)),
    arnext: read(orNull(digits), scalar),
    arop: read(orNull(float), scalar, scalar, scalar, operation),
    arring: write(digits, scalar, scalar, rest(stored)),
    arscan: read(indexedPairs, scalar, scalar, scalar, options("limit")),
    arseek: write(int, scalar, scalar),
    arset: write(int, scalar, scalar, rest(stored)),
  };
}) satisfies () => Record<keyof ArrayCommands<ReplyMode>, unknown>;
