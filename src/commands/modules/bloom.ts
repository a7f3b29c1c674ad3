import { options, rest, scalar, stored } from "../args.js";
import { int, list, text } from "../decoders.js";
import { named, read, write } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import { type Chunk, chunk, type Facts, facts, items, outcomes } from "./shared.js";

/** Settings of a new Bloom filter. */
export interface BloomReserveOptions {
  /** Factor between the sizes of a part of the filter and of the part before it. Default 2. */
  expansion?: number | undefined;
  /** Refuses items once the filter is full, rather than adding a part. */
  nonScaling?: boolean | undefined;
}

/** Settings of a Bloom filter that insert creates. */
export interface BloomInsertOptions extends BloomReserveOptions {
  /** Number of items for which a new filter has room. Default 100. */
  capacity?: number | undefined;
  /** Probability of a false positive of a new filter, above 0 and below 1. Default 0.01. */
  error?: number | undefined;
  /** Fails if the filter does not exist, rather than creating it. */
  noCreate?: boolean | undefined;
}

/** Bloom filters: sets with false positives, but without false negatives. */
export interface BloomCommands<K extends ReplyMode> {
  /** Adds an item, and creates the filter if it does not exist. Returns 1 if the item is new, else 0. */
  add<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Returns how many items were added. */
  card(key: Key): Reply<K, number>;
  /** Returns 0 if the item was not added, 1 if it probably was. */
  exists<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Returns facts about the filter, under Redis's names for them. */
  info(key: Key): Reply<K, Facts>;
  /** Adds items, with settings for the filter if it has to be created. Returns the same as madd. */
  insert<T = unknown>(key: Key, opts: BloomInsertOptions, ...items: T[]): Reply<K, (0 | 1 | Error)[]>;
  /** Adds a part that scandump returned. */
  loadchunk(key: Key, iterator: number, data: Uint8Array): Reply<K, "OK">;
  /**
   * Adds items, and creates the filter if it does not exist. Returns the result of add for each. If the filter becomes full, the last
   * element is an error, and the items after it were not added.
   */
  madd<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1 | Error)[]>;
  /** Returns for each item the result of exists. */
  mexists<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1)[]>;
  /** Creates an empty filter. `errorRate` is the probability of a false positive, above 0 and below 1. */
  reserve(key: Key, errorRate: number, capacity: number, opts?: BloomReserveOptions): Reply<K, "OK">;
  /** Returns a part for loadchunk. Begin with iterator 0, then pass that of each result, until it is 0. */
  scandump(key: Key, iterator: number): Reply<K, Chunk>;
}

export default named(
  {
    add: write(int, scalar, stored),
    card: read(int, scalar),
    exists: read(int, scalar, stored),
    info: read(facts, scalar),
    insert: write(outcomes, scalar, options("capacity error expansion noCreate? nonScaling?"), items),
    loadchunk: write(text, scalar, scalar, scalar),
    madd: write(outcomes, scalar, rest(stored)),
    mexists: read(list(int), scalar, rest(stored)),
    reserve: write(text, scalar, scalar, scalar, options("expansion nonScaling?")),
    scandump: read(chunk, scalar, scalar),
  },
  "BF.",
) satisfies Record<keyof BloomCommands<ReplyMode>, unknown>;
