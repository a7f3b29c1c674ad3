import { int, text } from "./decoders.js";
import type { Key, Kind, Reply } from "./kind.js";
import { group, read, write } from "./rows.js";
import { arg, data } from "./words.js";

export interface HyperLogLogCommands<K extends Kind> {
  /** Adds elements. Gives 1 if the estimate changed, else 0. */
  pfadd(key: Key, ...elements: unknown[]): Reply<K, number>;
  /** Gives the estimated number of distinct elements, of several keys together. */
  pfcount(key: Key, ...keys: Key[]): Reply<K, number>;
  /** Merges keys into one. */
  pfmerge(destination: Key, ...sources: Key[]): Reply<K, "OK">;
}

export const hyperloglogCommands = group(() => ({
  pfadd: write(int, arg, data),
  pfcount: read(int),
  pfmerge: write(text),
})) satisfies () => Record<keyof HyperLogLogCommands<Kind>, unknown>;
