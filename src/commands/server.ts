import { type ArgEncoder, options, rest, scalar, scalars, strict } from "./args.js";
import { int, list, nestedText, orNull, text, tuple } from "./decoders.js";
import { defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";

export interface ServerCommands<K extends ReplyMode> {
  /** Gives how many commands the server has. */
  commandCount(): Reply<K, number>;
  /** Gives the keys among a command's arguments. */
  commandGetkeys(...args: (string | number)[]): Reply<K, string[]>;
  /** Gives the names of the server's commands. */
  commandList(): Reply<K, string[]>;
  /** Gives how many keys there are. */
  dbsize(): Reply<K, number>;
  /** Removes every key of every database. */
  flushall(args?: [{ async?: boolean }]): Reply<K, "OK">;
  /** Removes every key. */
  flushdb(opts?: { async?: boolean }): Reply<K, "OK">;
  /** Gives facts about the server as text, of all sections or of those named. */
  info(...sections: string[]): Reply<K, string>;
  /** Gives when the data was last saved, in seconds since 1970. */
  lastsave(): Reply<K, number>;
  /** Gives how many bytes a key takes, or null; `samples` inner values are looked at, 0 for all. */
  memoryUsage(key: Key, opts?: { samples?: number }): Reply<K, number | null>;
  /** Gives the server's part in replication, with what belongs to it. */
  role(): Reply<K, unknown[]>;
  /** Swaps two databases. */
  swapdb(index1: number, index2: number): Reply<K, "OK">;
  /** Gives the server's time: seconds since 1970, and microseconds of the second. */
  time(): Reply<K, [number, number]>;
}

const flushing = strict(options("async?"));

// The reference takes the options of one of the two in an array.
const flushOptions: ArgEncoder = (out, given, encode) => {
  for (const each of [given].flat()) flushing(out, each, encode);
};
const flush = write(text, flushOptions);

export const serverCommands = defineCommands(() => ({
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
