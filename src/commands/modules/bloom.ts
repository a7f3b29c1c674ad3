import { options, rest, scalar, stored } from "../args.js";
import { int, list, text } from "../decoders.js";
import { named, read, write } from "../define.js";
import type { Key, Reply, ReplyMode } from "../reply-mode.js";
import { type Chunk, chunk, type Facts, facts, items, outcomes } from "./shared.js";

export interface BloomReserveOptions {
  /** How much larger each further part of the filter is. */
  expansion?: number;
  nonScaling?: boolean;
}

export interface BloomInsertOptions extends BloomReserveOptions {
  /** How many items a new filter is made for. */
  capacity?: number;
  /** How often a new filter may take an item for a member wrongly, from 0 to 1. */
  error?: number;
  noCreate?: boolean;
}

/** Bloom filters: sets that may take an item for a member wrongly, and never miss one. */
export interface BloomCommands<K extends ReplyMode> {
  /** Adds an item. Gives 1 if it is new, else 0. */
  add<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Gives how many items were added. */
  card(key: Key): Reply<K, number>;
  /** Gives 0 if the item was not added, 1 if it probably was. */
  exists<T = unknown>(key: Key, item: T): Reply<K, 0 | 1>;
  /** Gives facts on the filter by Redis's names. */
  info(key: Key): Reply<K, Facts>;
  /** Adds items to a filter, or to a new one. Gives for each what add gives, or an error where the filter is full. */
  insert<T = unknown>(key: Key, opts: BloomInsertOptions, ...items: T[]): Reply<K, (0 | 1 | Error)[]>;
  /** Adds a part that scandump gave. */
  loadchunk(key: Key, iterator: number, data: Uint8Array): Reply<K, "OK">;
  /** Adds items. Gives for each what add gives, or an error where the filter is full. */
  madd<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1 | Error)[]>;
  /** Gives for each item what exists gives. */
  mexists<T = unknown>(key: Key, ...items: T[]): Reply<K, (0 | 1)[]>;
  /** Makes an empty filter that takes an item for a member wrongly at the rate given, from 0 to 1. */
  reserve(key: Key, errorRate: number, capacity: number, opts?: BloomReserveOptions): Reply<K, "OK">;
  /** Gives a part of the filter for loadchunk; begin with 0. */
  scandump(key: Key, iterator: number): Reply<K, Chunk>;
}

export const bloomSpecs = named(
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
