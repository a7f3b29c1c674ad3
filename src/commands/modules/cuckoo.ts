import { options, rest, scalar, stored } from "../args.js";
import { int, list, text } from "../decoders.js";
import { named, read, write } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import { type Chunk, chunk, type Facts, facts, items, outcomes } from "./shared.js";

export interface CuckooInsertOptions {
  /** How many items a new filter is made for. */
  capacity?: number;
  noCreate?: boolean;
}

export interface CuckooReserveOptions {
  bucketSize?: number;
  maxIterations?: number;
  expansion?: number;
}

/** Cuckoo filters: like Bloom filters, and items can be removed. */
export interface CuckooCommands<K extends ReplyMode> {
  /** Adds an item, once more if it is there. Gives 1. */
  add<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Adds an item unless it is probably there. Gives 1 if it was added, else 0. */
  addnx<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Makes the filter smaller where that can be done. */
  compact(key: Key): Reply<K, "OK">;
  /** Gives about how many times an item was added. */
  count<T = unknown>(key: Key, item: T): Reply<K, number>;
  /** Removes an item once. Gives 1 if it was there, else 0. */
  del<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Gives 0 if the item was not added, 1 if it probably was. */
  exists<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Gives facts on the filter by Redis's names. */
  info(key: Key): Reply<K, Facts>;
  /** Adds items to a filter, or to a new one. Gives 1 for each, -1 where the filter is full. */
  insert<T = unknown>(key: Key, opts: CuckooInsertOptions, ...items: T[]): Reply<K, (1 | -1 | Error)[]>;
  /** Adds items that are not there. Gives 1 for each, 0 where it probably is, -1 where the filter is full. */
  insertnx<T = unknown>(key: Key, opts: CuckooInsertOptions, ...items: T[]): Reply<K, (1 | 0 | -1 | Error)[]>;
  /** Adds a part that scandump gave. */
  loadchunk(key: Key, iterator: number, data: Uint8Array): Reply<K, "OK">;
  /** Gives for each item what exists gives. */
  mexists<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1)[]>;
  /** Makes an empty filter. */
  reserve(key: Key, capacity: number, opts?: CuckooReserveOptions): Reply<K, "OK">;
  /** Gives a part of the filter for loadchunk; begin with 0. */
  scandump(key: Key, iterator: number): Reply<K, Chunk>;
}

const change = write(int, scalar, stored);
const ask = read(int, scalar, stored);
const insert = write(outcomes, scalar, options("capacity noCreate?"), items);

export const cuckooSpecs = named(
  {
    add: change,
    addnx: change,
    compact: write(text, scalar),
    count: ask,
    del: change,
    exists: ask,
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
