import { array, counting, json, optional, options, rest, scalar, scalars } from "./args.js";
import { bytes, camel, int, list, nested, nestedText, object, text } from "./decoders.js";
import { as, defineCommands, read, write } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { Decoder } from "./spec.js";
import type { AtMostOne } from "./types.js";

/** When scripts are removed. */
export type ScriptFlushCommandOptions = AtMostOne<
  {
    /** Before the response. */
    sync: true;
    /** After the response. */
    async: true;
  },
  "only one of sync and async"
>;

/** Commands on Lua scripts. */
export interface ScriptingCommands<K extends ReplyMode> {
  /**
   * Runs a Lua script. Returns the script's result.
   * @example
   * ```ts
   * await redis.eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", ["visits"], [5]); // 7
   * ```
   */
  eval<TArgs extends unknown[], T = unknown>(script: string, keys: Key[], args?: TArgs): Reply<K, T>;
  /** Runs a Lua script that only reads. Returns the script's result. */
  evalRo<TArgs extends unknown[], T = unknown>(script: string, keys: Key[], args?: TArgs): Reply<K, T>;
  /** Runs a loaded script by its SHA-1 digest. Returns its result, or throws NOSCRIPT if it is not loaded. */
  evalsha<TArgs extends unknown[], T = unknown>(sha1: string, keys: Key[], args?: TArgs): Reply<K, T>;
  /** Runs a loaded script that only reads by its SHA-1 digest. Returns the script's result. */
  evalshaRo<TArgs extends unknown[], T = unknown>(sha1: string, keys: Key[], args?: TArgs): Reply<K, T>;
  /** Returns for each digest 1 if its script is loaded, else 0. */
  scriptExists(...sha1s: string[]): Reply<K, number[]>;
  /** Unloads all scripts. */
  scriptFlush(opts?: ScriptFlushCommandOptions): Reply<K, "OK">;
  /** Stops the running script, if it has not written. */
  scriptKill(): Reply<K, "OK">;
  /** Loads a script. Returns its SHA-1 digest. */
  scriptLoad(script: string): Reply<K, string>;
  /** Returns a loaded script by its digest. Valkey only. */
  scriptShow(sha1: string): Reply<K, string>;
}

// The number of keys is sent even if there are none.
const keys = counting(optional(array(scalar)));
const scriptCall = (run: typeof read) => run(nested, scalar, keys, optional(array(json)));

export const scriptingCommands = defineCommands(() => ({
  eval: scriptCall(write),
  evalRo: scriptCall(read),
  evalsha: scriptCall(write),
  evalshaRo: scriptCall(read),
  scriptExists: write(list(int), rest(scalars)),
  scriptFlush: write(text, options("sync? async?")),
  scriptKill: write(text),
  scriptLoad: write(text, scalar),
  scriptShow: write(text, scalar),
})) satisfies () => Record<keyof ScriptingCommands<ReplyMode>, unknown>;

/** A library to load. */
export interface FunctionLoadArgs {
  /** The library's code, `#!lua name=...` at its head. */
  code: string;
  /** Replaces a library of the same name. */
  replace?: boolean | undefined;
}

/** The libraries to list, and whether to return their code. */
export interface FunctionListArgs {
  /** A glob pattern of libraries' names. */
  libraryName?: string | undefined;
  /** Returns the code too. */
  withCode?: boolean | undefined;
}

/** A library that is loaded. */
export interface FunctionLibrary {
  /** The library's name. */
  libraryName: string;
  /** The engine that runs it: LUA. */
  engine: string;
  /** The functions in it. */
  functions: { name: string; description?: string; flags: string[] }[];
  /** The library's code, if requested. */
  libraryCode?: string | undefined;
}

/** Loaded libraries and functions, by engine. */
export interface FunctionStats {
  /** Number of libraries and functions of each engine. */
  engines: Record<string, { librariesCount: number; functionsCount: number }>;
}

/** Commands on functions. */
export interface FunctionCommands<K extends ReplyMode> {
  /** Calls a function. Returns the function's result. */
  call<T = unknown>(functionName: string, keys?: Key[], args?: unknown[]): Reply<K, T>;
  /** Calls a function that only reads. Returns the function's result. */
  callRo<T = unknown>(functionName: string, keys?: Key[], args?: unknown[]): Reply<K, T>;
  /** Removes a library. */
  delete(libraryName: string): Reply<K, "OK">;
  /** Returns all libraries in a form for restore. */
  dump(): Reply<K, Uint8Array>;
  /** Removes all libraries. */
  flush(): Reply<K, "OK">;
  /** Stops the running function, if it has not written. */
  kill(): Reply<K, "OK">;
  /** Returns the libraries and their functions. */
  list(args?: FunctionListArgs): Reply<K, FunctionLibrary[]>;
  /** Loads a library. Returns its name. */
  load(args: FunctionLoadArgs): Reply<K, string>;
  /** Loads libraries from dump. "FLUSH" removes all others first, "REPLACE" those of the same names. */
  restore(serialized: Uint8Array, policy?: "APPEND" | "FLUSH" | "REPLACE"): Reply<K, "OK">;
  /** Returns how many libraries and functions each engine has. */
  stats(): Reply<K, FunctionStats>;
}

const camelled =
  (decoder: Decoder): Decoder =>
  (...reply) =>
    camel(object(decoder)(...reply));

const library = camelled((...part) =>
  Array.isArray(part[0]) ? list(camelled(nestedText))(...part) : text(part[0]),
);

const counts = object(camelled(int));

const stats: Decoder = (reply, ...context) => ({
  engines: counts(object((part) => part)(reply, ...context).engines, ...context),
});

export const functionCommands = defineCommands(
  () => ({
    call: as("FCALL", scriptCall(write)),
    callRo: as("FCALL_RO", scriptCall(read)),
    delete: write(text, scalar),
    dump: write(bytes),
    flush: write(text),
    kill: write(text),
    list: write(list(library), options("libraryName withCode?")),
    load: write(text, options("replace? code=")),
    restore: write(text, scalar, optional(scalar)),
    stats: write(stats),
  }),
  "FUNCTION ",
) satisfies () => Record<keyof FunctionCommands<ReplyMode>, unknown>;
