import { rest, scalar, scalars, stored } from "./args.js";
import { int, text } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";

/** Commands on HyperLogLogs. */
export interface HyperLogLogCommands<K extends ReplyMode> {
  /** Adds elements. Returns 1 if the estimate changed, else 0. */
  pfadd(key: Key, ...elements: unknown[]): Reply<K, number>;
  /** Returns the estimated number of distinct elements, of several keys together. */
  pfcount(key: Key, ...keys: Key[]): Reply<K, number>;
  /** Merges keys into one. */
  pfmerge(destination: Key, ...sources: Key[]): Reply<K, "OK">;
}

export default defineCommands(() => ({
  pfadd: write(int, scalar, rest(stored, 0)),
  pfcount: read(int, rest(scalars)),
  pfmerge: write(text, scalar, rest(scalars, 0)),
})) satisfies () => Record<keyof HyperLogLogCommands<ReplyMode>, unknown>;
