import { options, rest, scalar, stored } from "../args.js";
import { int, list, text } from "../decoders.js";
import { named, read, write } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import { type Chunk, chunk, type Facts, facts, items, outcomes } from "./shared.js";

/** Settings of a cuckoo filter that insert creates. */
export interface CuckooInsertOptions {
  /** Number of items for which a new filter has room. Default 1024. */
  capacity?: number | undefined;
  /** Fails if the filter does not exist, rather than creating it. */
  noCreate?: boolean | undefined;
}

/** Settings of a new cuckoo filter. */
export interface CuckooReserveOptions {
  /** Number of items per bucket. Default 2. */
  bucketSize?: number | undefined;
  /** Maximum number of swaps before the filter grows. Default 20. */
  maxIterations?: number | undefined;
  /** Factor between the sizes of a part of the filter and of the part before it. Default 1. */
  expansion?: number | undefined;
}

/** Cuckoo filters: like Bloom filters, but items can be removed. */
export interface CuckooCommands<K extends ReplyMode> {
  /** Adds an item, even if the filter has it already. Returns 1. */
  add<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Adds an item unless the filter probably has it. Returns 1 if it was added, else 0. */
  addnx<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Reduces the size of the filter, if possible. */
  compact(key: Key): Reply<K, "OK">;
  /** Returns the estimated number of times an item was added. */
  count<T = unknown>(key: Key, item: T): Reply<K, number>;
  /** Removes an item once. Returns 1 if it was there, else 0. */
  del<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Returns 0 if the item was not added, 1 if it probably was. */
  exists<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Returns facts about the filter, under Redis's names for them. */
  info(key: Key): Reply<K, Facts>;
  /** Adds items, and creates the filter if needed. Returns for each item 1, or -1 if the filter is full. */
  insert<T = unknown>(key: Key, opts: CuckooInsertOptions, ...items: T[]): Reply<K, (1 | -1 | Error)[]>;
  /** Adds new items. Returns for each item 1, 0 if the filter probably has it, -1 if the filter is full. */
  insertnx<T = unknown>(key: Key, opts: CuckooInsertOptions, ...items: T[]): Reply<K, (1 | 0 | -1 | Error)[]>;
  /** Adds a part that scandump returned. */
  loadchunk(key: Key, iterator: number, data: Uint8Array): Reply<K, "OK">;
  /** Returns for each item the result of exists. */
  mexists<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1)[]>;
  /** Creates an empty filter. */
  reserve(key: Key, capacity: number, opts?: CuckooReserveOptions): Reply<K, "OK">;
  /** Returns a part for loadchunk. Begin with iterator 0, then pass that of each result, until it is 0. */
  scandump(key: Key, iterator: number): Reply<K, Chunk>;
}

const change = write(int, scalar, stored);
const lookup = read(int, scalar, stored);
const insert = write(outcomes, scalar, options("capacity noCreate?"), items);

export default named(
  {
    add: change,
    addnx: change,
    compact: write(text, scalar),
    count: lookup,
    del: change,
    exists: lookup,
    info: read(facts, scalar),
    insert,
    insertnx: insert,
    loadchunk: write(text, scalar, scalar, scalar),
    mexists: read(list(int), scalar, rest(stored)),
    reserve: write(text, scalar, scalar, options("bucketSize maxIterations expansion")),
    scandump: read(chunk, scalar, scalar),
  },
  "CF.",
) satisfies Record<keyof CuckooCommands<ReplyMode>, unknown>;
