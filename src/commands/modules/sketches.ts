import { array, counting, flag, optional, options, rest, scalar, scalars, stored } from "../args.js";
import { alternating, float, int, list, orNull, text, value, when } from "../decoders.js";
import { as, named, read, write } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import { amounts, type Facts, facts } from "./shared.js";

/** The number of keys, then the keys. */
const sources = counting(array(scalar));

/** Settings of a t-digest. */
export interface TDigestOptions {
  /** Number that trades memory for accuracy. Default 100. */
  compression?: number | undefined;
}

/** Settings of merge of t-digests. */
export interface TDigestMergeOptions extends TDigestOptions {
  /** Replaces the destination rather than adding to it. */
  override?: boolean | undefined;
}

/** Count-min sketches: estimated counts of items. */
export interface CountMinCommands<K extends ReplyMode> {
  /** Adds to items' counts, given as an object. Returns the new counts. */
  incrby(key: Key, amounts: Record<string, number>): Reply<K, number[]>;
  /** Returns facts about the sketch, under Redis's names for them. */
  info(key: Key): Reply<K, Facts>;
  /** Creates a sketch of this size. */
  initbydim(key: Key, width: number, depth: number): Reply<K, "OK">;
  /** Creates a sketch. With at most this probability, a count is too high by more than the fraction `error` of the total. */
  initbyprob(key: Key, error: number, probability: number): Reply<K, "OK">;
  /** Stores the sum of sketches in an existing sketch of the same size. `weights` are factors of their counts, in the order of the keys. */
  merge(destination: Key, keys: Key[], opts?: { weights?: number[] | undefined }): Reply<K, "OK">;
  /** Returns the estimated counts of items. */
  query<T = unknown>(key: Key, ...items: T[]): Reply<K, number[]>;
}

export const countMinSpecs = named(
  {
    incrby: write(list(int), scalar, amounts),
    info: read(facts, scalar),
    initbydim: write(text, scalar, scalar, scalar),
    initbyprob: write(text, scalar, scalar, scalar),
    merge: write(text, scalar, sources, options("weights*")),
    query: read(list(int), scalar, rest(stored)),
  },
  "CMS.",
) satisfies Record<keyof CountMinCommands<ReplyMode>, unknown>;

/** Top-k sketches: the most frequent items. */
export interface TopKCommands<K extends ReplyMode> {
  /** Adds items. Returns for each the item that it displaced, or null. */
  add<T = string>(key: Key, ...items: unknown[]): Reply<K, (T | null)[]>;
  /** Returns the estimated counts of items. */
  count<T = unknown>(key: Key, ...items: T[]): Reply<K, number[]>;
  /** Adds to items' counts, given as an object. Returns for each the item that it displaced, or null. */
  incrby<T = string>(key: Key, amounts: Record<string, number>): Reply<K, (T | null)[]>;
  /** Returns facts about the sketch, under Redis's names for them. */
  info(key: Key): Reply<K, Facts>;
  /** Returns the items, the most frequent first; with counts, each after its item. */
  list<T = string>(key: Key, withCount?: boolean): Reply<K, T[]>;
  /** Returns for each item 1 if it is one of the most frequent, else 0. */
  query<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1)[]>;
  /** Creates a sketch of the `k` most frequent items. */
  reserve(key: Key, k: number): Reply<K, "OK">;
  /** Creates a sketch of `width` by `depth` counters. `decay` is the probability that a counter shrinks. */
  reserve(key: Key, k: number, width: number, depth: number, decay: number): Reply<K, "OK">;
}

const evicted = list(orNull(value));

export const topKSpecs = named(
  {
    add: write(evicted, scalar, rest(stored)),
    count: read(list(int), scalar, rest(stored)),
    incrby: write(evicted, scalar, amounts),
    info: read(facts, scalar),
    list: read(when(1, undefined, alternating(value, int), list(value)), scalar, flag("WITHCOUNT")),
    query: read(list(int), scalar, rest(stored)),
    reserve: write(text, scalar, scalar, optional(scalar), optional(scalar), optional(scalar)),
  },
  "TOPK.",
) satisfies Record<keyof TopKCommands<ReplyMode>, unknown>;

/** t-digests: estimated quantiles and ranks of numbers. */
export interface TDigestCommands<K extends ReplyMode> {
  /** Adds numbers. */
  add(key: Key, ...values: number[]): Reply<K, "OK">;
  /** Returns the estimated numbers at ranks, counted from the lowest, which has rank 0. */
  byrank(key: Key, ...ranks: number[]): Reply<K, number[]>;
  /** Returns the estimated numbers at ranks, counted from the highest, which has rank 0. */
  byrevrank(key: Key, ...ranks: number[]): Reply<K, number[]>;
  /** Returns for each number the estimated fraction of lower numbers, from 0 to 1. */
  cdf(key: Key, ...values: number[]): Reply<K, number[]>;
  /** Creates an empty digest. */
  create(key: Key, opts?: TDigestOptions): Reply<K, "OK">;
  /** Returns facts about the digest, under Redis's names for them. */
  info(key: Key): Reply<K, Facts>;
  /** Returns the highest number, NaN if the digest is empty. */
  max(key: Key): Reply<K, number>;
  /** Merges digests into one. */
  merge(destination: Key, keys: Key[], opts?: TDigestMergeOptions): Reply<K, "OK">;
  /** Returns the lowest number, NaN if the digest is empty. */
  min(key: Key): Reply<K, number>;
  /** Returns the estimated number at each quantile, from 0 to 1. */
  quantile(key: Key, ...quantiles: number[]): Reply<K, number[]>;
  /**
   * Returns the estimated rank of each number: -1 if below all, the total count if above all, -2 if the digest is empty.
   */
  rank(key: Key, ...values: number[]): Reply<K, number[]>;
  /** Removes all numbers. */
  reset(key: Key): Reply<K, "OK">;
  /** Returns the estimated rank of each number, counted from the highest. */
  revrank(key: Key, ...values: number[]): Reply<K, number[]>;
  /** Returns the mean of the numbers between two quantiles. */
  trimmedMean(key: Key, low: number, high: number): Reply<K, number>;
}

const floats = read(list(float), scalar, rest(scalars));
const ranks = read(list(int), scalar, rest(scalars));
const extreme = read(float, scalar);

export const tDigestSpecs = named(
  {
    add: write(text, scalar, rest(scalars)),
    byrank: floats,
    byrevrank: floats,
    cdf: floats,
    create: write(text, scalar, options("compression")),
    info: read(facts, scalar),
    max: extreme,
    merge: write(text, scalar, sources, options("compression override?")),
    min: extreme,
    quantile: floats,
    rank: ranks,
    reset: write(text, scalar),
    revrank: ranks,
    trimmedMean: as("TDIGEST.TRIMMED_MEAN", read(float, scalar, scalar, scalar)),
  },
  "TDIGEST.",
) satisfies Record<keyof TDigestCommands<ReplyMode>, unknown>;
