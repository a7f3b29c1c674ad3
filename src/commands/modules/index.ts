/**
 * Commands of Redis's modules: filters, sketches, time series, search.
 *
 * @module warmline/modules
 */
import type { ReplyMode } from "../reply-mode.js";
import type { CommandSpec } from "../spec.js";
import bloomSpecs, { type BloomCommands } from "./bloom.js";
import cuckooSpecs, { type CuckooCommands } from "./cuckoo.js";
import searchSpecs, { type SearchCommands } from "./search.js";
import {
  type CountMinCommands,
  countMinSpecs,
  type TDigestCommands,
  type TopKCommands,
  tDigestSpecs,
  topKSpecs,
} from "./sketches.js";
import { SEND, type Target } from "./target.js";
import timeSeriesSpecs, { type TimeSeriesCommands } from "./time-series.js";

export type * from "./bloom.js";
export type * from "./cuckoo.js";
export type * from "./search.js";
export type { Chunk, Facts } from "./shared.js";
export type {
  CountMinCommands,
  CountMinMergeOptions,
  TDigestCommands,
  TDigestMergeOptions,
  TDigestOptions,
  TopKCommands,
} from "./sketches.js";
export type { Target } from "./target.js";
export type * from "./time-series.js";

/** Returns a module's methods on a client, a pipeline or a transaction. */
function methodsOn<K extends ReplyMode, Commands>(
  target: Target<K>,
  specs: Readonly<Record<string, CommandSpec>>,
): Commands {
  const methods = Object.entries(specs).map(([method, spec]) => [
    method,
    (...args: unknown[]) => target[SEND](spec, args),
  ]);
  return Object.fromEntries(methods);
}

/** Bloom filters: `await bf(redis).add("seen", id)`. */
export const bf = <K extends ReplyMode>(target: Target<K>): BloomCommands<K> => methodsOn(target, bloomSpecs);

/** Cuckoo filters. */
export const cf = <K extends ReplyMode>(target: Target<K>): CuckooCommands<K> =>
  methodsOn(target, cuckooSpecs);

/** Count-min sketches. */
export const cms = <K extends ReplyMode>(target: Target<K>): CountMinCommands<K> =>
  methodsOn(target, countMinSpecs);

/** Top-k sketches. */
export const topk = <K extends ReplyMode>(target: Target<K>): TopKCommands<K> => methodsOn(target, topKSpecs);

/** t-digests. */
export const tdigest = <K extends ReplyMode>(target: Target<K>): TDigestCommands<K> =>
  methodsOn(target, tDigestSpecs);

/** Time series. */
export const ts = <K extends ReplyMode>(target: Target<K>): TimeSeriesCommands<K> =>
  methodsOn(target, timeSeriesSpecs);

/** Search and queries. */
export const ft = <K extends ReplyMode>(target: Target<K>): SearchCommands<K> =>
  methodsOn(target, searchSpecs);
