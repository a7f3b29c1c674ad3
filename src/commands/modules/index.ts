/**
 * Commands of Redis's modules: filters, sketches, time series, search.
 *
 * @module warmline/modules
 */
import type { ReplyMode } from "../reply-mode.js";
import type { Row } from "../row.js";
import { type BloomCommands, bloomRows } from "./bloom.js";
import { type CuckooCommands, cuckooRows } from "./cuckoo.js";
import { type SearchCommands, searchRows } from "./search.js";
import {
  type CountMinCommands,
  countMinRows,
  type TDigestCommands,
  type TopKCommands,
  tDigestRows,
  topKRows,
} from "./sketches.js";
import { SEND, type Target } from "./target.js";
import { type TimeSeriesCommands, timeSeriesRows } from "./time-series.js";

/** A module's methods on a client, a pipeline or a transaction. */
function on<K extends ReplyMode, Commands>(target: Target<K>, rows: Readonly<Record<string, Row>>): Commands {
  const methods = Object.entries(rows).map(([method, row]) => [
    method,
    (...args: unknown[]) => target[SEND](row, args),
  ]);
  return Object.fromEntries(methods);
}

/** Bloom filters: `await bf(redis).add("seen", id)`. */
export const bf = <K extends ReplyMode>(target: Target<K>): BloomCommands<K> => on(target, bloomRows);

/** Cuckoo filters. */
export const cf = <K extends ReplyMode>(target: Target<K>): CuckooCommands<K> => on(target, cuckooRows);

/** Count-min sketches. */
export const cms = <K extends ReplyMode>(target: Target<K>): CountMinCommands<K> => on(target, countMinRows);

/** Top-k sketches. */
export const topk = <K extends ReplyMode>(target: Target<K>): TopKCommands<K> => on(target, topKRows);

/** t-digests. */
export const tdigest = <K extends ReplyMode>(target: Target<K>): TDigestCommands<K> =>
  on(target, tDigestRows);

/** Time series. */
export const ts = <K extends ReplyMode>(target: Target<K>): TimeSeriesCommands<K> =>
  on(target, timeSeriesRows);

/** Search and queries. */
export const ft = <K extends ReplyMode>(target: Target<K>): SearchCommands<K> => on(target, searchRows);
