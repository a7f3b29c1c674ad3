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
  TDigestCommands,
  TDigestMergeOptions,
  TDigestOptions,
  TopKCommands,
} from "./sketches.js";
export type { Target } from "./target.js";
export type * from "./time-series.js";

/** Returns a module's methods on a client, a pipeline or a transaction. */
function methodsOn<Commands>(target: Target<any>, specs: Readonly<Record<string, CommandSpec>>): Commands {
  const methods = Object.entries(specs).map(([method, spec]) => [
    method,
    (...args: unknown[]) => target[SEND](spec, args),
  ]);
  return Object.fromEntries(methods);
}

/** Bloom filters: `await bf(redis).add("seen", id)`. */
export const bf = <K extends ReplyMode>(target: Target<K>) => methodsOn<BloomCommands<K>>(target, bloomSpecs);

/** Cuckoo filters. */
export const cf = <K extends ReplyMode>(target: Target<K>) =>
  methodsOn<CuckooCommands<K>>(target, cuckooSpecs);

/** Count-min sketches. */
export const cms = <K extends ReplyMode>(target: Target<K>) =>
  methodsOn<CountMinCommands<K>>(target, countMinSpecs);

/** Top-k sketches. */
export const topk = <K extends ReplyMode>(target: Target<K>) => methodsOn<TopKCommands<K>>(target, topKSpecs);

/** t-digests. */
export const tdigest = <K extends ReplyMode>(target: Target<K>) =>
  methodsOn<TDigestCommands<K>>(target, tDigestSpecs);

/** Time series. */
export const ts = <K extends ReplyMode>(target: Target<K>) =>
  methodsOn<TimeSeriesCommands<K>>(target, timeSeriesSpecs);

/** Search and queries. */
export const ft = <K extends ReplyMode>(target: Target<K>) =>
  methodsOn<SearchCommands<K>>(target, searchSpecs);
