import { oneOrMany, options, rest, scalar, scalars, strict } from "./args.js";
import { int, list, nestedText, orNull, text, tuple } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { NestedReply } from "./types.js";

/** Commands on the server. */
export interface ServerCommands<K extends ReplyMode> {
  /** Returns how many commands the server has. */
  commandCount(): Reply<K, number>;
  /** Returns the keys among a command's arguments. */
  commandGetkeys(...args: (string | number)[]): Reply<K, string[]>;
  /** Returns the names of the server's commands. */
  commandList(): Reply<K, string[]>;
  /** Returns how many keys there are. */
  dbsize(): Reply<K, number>;
  /** Removes every key of every database; with `async` the memory is freed after the response. */
  flushall(args?: [{ async?: boolean | undefined }]): Reply<K, "OK">;
  /** Removes every key; with `async` the memory is freed after the response. */
  flushdb(opts?: { async?: boolean | undefined }): Reply<K, "OK">;
  /** Returns facts about the server as text, of all sections or of the named ones. */
  info(...sections: string[]): Reply<K, string>;
  /** Returns when the data was last saved, in seconds since 1970. */
  lastsave(): Reply<K, number>;
  /** Returns how many bytes a key takes, or null; `samples` inner values are sampled, 0 for all. Default 5. */
  memoryUsage(key: Key, opts?: { samples?: number | undefined }): Reply<K, number | null>;
  /** Returns the server's role in replication, with its details. */
  role(): Reply<K, NestedReply[]>;
  /** Swaps two databases. */
  swapdb(index1: number, index2: number): Reply<K, "OK">;
  /** Returns the server's time: seconds since 1970, and microseconds of the second. */
  time(): Reply<K, [number, number]>;
}

// @upstash/redis takes the options of flushall in an array, and those of flushdb without one.
const flush = write(text, oneOrMany(strict(options("async?"))));

export default defineCommands(() => ({
  commandCount: write(int),
  commandGetkeys: write(list(text), rest(scalars)),
  commandList: write(list(text)),
  dbsize: read(int),
  flushall: flush,
  flushdb: flush,
  info: write(text, rest(scalars, 0)),
  lastsave: write(int),
  memoryUsage: read(orNull(int), scalar, options("samples")),
  role: write(nestedText),
  swapdb: write(text, scalar, scalar),
  time: read(tuple(int, int)),
})) satisfies () => Record<keyof ServerCommands<ReplyMode>, unknown>;
