import {
  type ArgEncoder,
  gathered,
  inTurn,
  limit,
  oneOrMany,
  optional,
  options,
  prefixed,
  rest,
  scalar,
  scalars,
  sequence,
} from "./args.js";
import { bytes, int, list, orNull, records, text, tuple, value, when } from "./decoders.js";
import { defineCommands, read, write, writeIf } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { ExpireOption, OneOrMoreKeys, ScanCommandOptions } from "./types.js";

/** A key's type, "none" if the key does not exist. Modules add their own. */
export type Type = "string" | "list" | "set" | "zset" | "hash" | "stream" | "none" | "vectorset" | "array";

/** Settings of copy. */
export interface CopyOptions {
  /** Overwrites the destination if it exists. */
  replace?: boolean | undefined;
  /** Index of the database to copy into. Default: the key's database. */
  db?: number | undefined;
}

/** Settings of restore. */
export interface RestoreOptions {
  /** Overwrites the key if it exists. */
  replace?: boolean | undefined;
  /** Whether `ttl` is the time at which the key expires, in milliseconds since 1970. */
  absTtl?: boolean | undefined;
  /** Time since the key's last use, in seconds. */
  idleTime?: number | undefined;
  /** The key's access frequency, 0 to 255. */
  freq?: number | undefined;
}

/** Order of sort and sortRo, and the form of their result. */
export interface SortOptions {
  /** The pattern of the keys to sort by; `*` stands for the element. */
  by?: string | undefined;
  /** Number of elements to skip. */
  offset?: number | undefined;
  /** Maximum number of elements. */
  count?: number | undefined;
  /** The pattern, or patterns, of the keys to return in place of the elements; `#` is the element itself. */
  get?: string | string[] | undefined;
  /** From the lowest or from the highest. Default "ASC". */
  order?: "ASC" | "DESC" | "asc" | "desc" | undefined;
  /** Compares as text rather than as numbers. */
  alpha?: boolean | undefined;
}

/** The option of sort that stores the elements. */
export interface SortStoreOption<Store extends Key> {
  /** Stores the elements in order as a list under this key. */
  store?: Store | undefined;
}

/** The result of scan: the next cursor and keys. */
export type ScanResultStandard = [cursor: string, keys: string[]];
/** The result of scan with types: the next cursor, and keys with their types. */
export type ScanResultWithType = [cursor: string, keys: { key: string; type: string }[]];

/** Commands on keys of any type. */
export interface GenericCommands<K extends ReplyMode> {
  /** Copies a key and its time to live. */
  copy(key: Key, destinationKey: Key, opts?: CopyOptions): Reply<K, "COPIED" | "NOT_COPIED">;
  /**
   * Removes keys. Returns how many were removed. Skips null, the result of a read of a missing key.
   * @example
   * ```ts
   * await redis.del("user:1", "user:2"); // 2
   * ```
   */
  del<Given extends Key[]>(...keys: OneOrMoreKeys<Given>): Reply<K, number>;
  /** Returns the value as Redis writes it to disk, for restore; null if the key does not exist. */
  dump(key: Key): Reply<K, Uint8Array | null>;
  /**
   * Returns how many of the keys exist; a key given twice counts twice.
   * @example
   * ```ts
   * await redis.exists("user:1"); // 1, or 0
   * ```
   */
  exists<Given extends Key[]>(...keys: OneOrMoreKeys<Given>): Reply<K, number>;
  /**
   * Sets the time to live, in seconds. Returns 1, or 0 if the key does not exist or `option` prevented it.
   * @example
   * ```ts
   * await redis.expire("session:1", 60); // 1: it expires in 60 seconds
   * ```
   */
  expire(key: Key, seconds: number, option?: ExpireOption): Reply<K, 0 | 1>;
  /** Sets when the key expires, in seconds since 1970. Returns 1, or 0 as for expire. */
  expireat(key: Key, unix: number, option?: ExpireOption): Reply<K, 0 | 1>;
  /** Returns when the key expires, in seconds since 1970; -1 if never, -2 if the key does not exist. */
  expiretime(key: Key): Reply<K, number>;
  /** Returns every key that matches a glob pattern. It reads the whole database: prefer scan. */
  keys(pattern: string): Reply<K, string[]>;
  /** Moves a key to another database. Returns 1, or 0 if it does not exist or the database has it already. */
  move(key: Key, db: number): Reply<K, 0 | 1>;
  /** Returns the encoding of the value in memory, or null if the key does not exist. */
  objectEncoding(key: Key): Reply<K, string | null>;
  /** Returns the access frequency under an LFU policy, or null if the key does not exist. */
  objectFreq(key: Key): Reply<K, number | null>;
  /** Returns the seconds since the last access, or null if the key does not exist. */
  objectIdletime(key: Key): Reply<K, number | null>;
  /** Returns how many references the value has, or null if the key does not exist. */
  objectRefcount(key: Key): Reply<K, number | null>;
  /** Removes the time to live. Returns 1 if there was one, else 0. */
  persist(key: Key): Reply<K, 0 | 1>;
  /** Sets the time to live, in milliseconds. Returns 1, or 0 as for expire. */
  pexpire(key: Key, milliseconds: number, option?: ExpireOption): Reply<K, 0 | 1>;
  /** Sets when the key expires, in milliseconds since 1970. Returns 1, or 0 as for expire. */
  pexpireat(key: Key, unix: number, option?: ExpireOption): Reply<K, 0 | 1>;
  /** Returns when the key expires, in milliseconds since 1970; -1 if never, -2 if the key does not exist. */
  pexpiretime(key: Key): Reply<K, number>;
  /** Returns the time to live, in milliseconds; -1 if there is none, -2 if the key does not exist. */
  pttl(key: Key): Reply<K, number>;
  /** Returns a random key, or null if the database is empty. */
  randomkey(): Reply<K, string | null>;
  /** Renames a key. Replaces a key that has the new name. */
  rename(source: Key, destination: Key): Reply<K, "OK">;
  /** Renames a key unless the name is taken. Returns 1 if it was renamed, else 0. */
  renamenx(source: Key, destination: Key): Reply<K, 0 | 1>;
  /** Creates a key from the result of dump. `ttl` is in milliseconds, 0 for none. */
  restore(key: Key, ttl: number, serialized: Uint8Array, opts?: RestoreOptions): Reply<K, "OK">;
  /**
   * Returns the next cursor, "0" at the end, and a page of keys that match a pattern or have a type. A key may be returned
   * twice. With `withType`, each is an object of key and type.
   * @example
   * ```ts
   * const [cursor, keys] = await redis.scan(0, { match: "user:*", count: 100 });
   * ```
   */
  scan<WithType extends boolean = false>(
    cursor: string | number,
    opts?: ScanCommandOptions<WithType>,
  ): Reply<K, WithType extends true ? ScanResultWithType : ScanResultStandard>;
  /** Returns the elements of a list or set in order, or with `store` stores them and returns how many. */
  sort<T = Stored<K, string>, Store extends Key = never>(
    key: Key,
    opts?: SortOptions & SortStoreOption<Store>,
  ): Reply<K, [Store] extends [never] ? (T | null)[] : number>;
  /** Returns the elements of a list, set or sorted set in order. */
  sortRo<T = Stored<K, string>>(key: Key, opts?: SortOptions): Reply<K, (T | null)[]>;
  /** Marks keys as used. Returns how many exist. */
  touch<Given extends Key[]>(...keys: OneOrMoreKeys<Given>): Reply<K, number>;
  /**
   * Returns the time to live, in seconds; -1 if there is none, -2 if the key does not exist.
   * @example
   * ```ts
   * await redis.ttl("session:1"); // 60
   * ```
   */
  ttl(key: Key): Reply<K, number>;
  /** Returns the key's type. */
  type(key: Key): Reply<K, Type>;
  /** Removes keys, and frees their memory later. Returns how many were removed. Skips null, as del does. */
  unlink<Given extends Key[]>(...keys: OneOrMoreKeys<Given>): Reply<K, number>;
  /** Waits at most `timeout` ms until `replicas` replicas have the writes. Returns how many have them. */
  wait(replicas: number, timeout: number): Reply<K, number>;
  /** Waits at most `timeout` ms until writes are on disks, here and at replicas. Returns on how many. */
  waitaof(local: number, replicas: number, timeout: number): Reply<K, [local: number, replicas: number]>;
}

export default defineCommands(() => {
  const patterns = oneOrMany(prefixed("GET", scalar));

  const sorting = sequence(options("by"), limit, options("get= order= alpha? store", { get: patterns }));

  const sorted = list(orNull(value));
  const stores = (args: readonly unknown[]) => args.some((arg, i) => i && /^store$/i.test(String(arg)));

  const typed = records({ key: text, type: text });

  // Adapters pass the result of an earlier read: null means that there is nothing to remove.
  const unlessNull: ArgEncoder = (out, key, encode) => {
    if (key !== null) scalar(out, key, encode);
  };
  const keys = inTurn(oneOrMany(unlessNull));
  const removed = gathered((out, args, encode) => {
    const before = out.length;
    keys(out, args, encode);
    if (out.length === before) scalar(out, args[0], encode);
  });

  const expiring = [scalar, scalar, optional(scalar)];

  return {
    copy: write((reply) => (int(reply) ? "COPIED" : "NOT_COPIED"), scalar, scalar, options("db replace?")),
    del: write(int, removed),
    dump: read(orNull(bytes), scalar),
    exists: read(int, rest(scalars)),
    expire: write(int, ...expiring),
    expireat: write(int, ...expiring),
    expiretime: read(int, scalar),
    keys: read(list(text), scalar),
    move: write(int, scalar, scalar),
    objectEncoding: read(orNull(text), scalar),
    objectFreq: read(orNull(int), scalar),
    objectIdletime: read(orNull(int), scalar),
    objectRefcount: read(orNull(int), scalar),
    persist: write(int, scalar),
    pexpire: write(int, ...expiring),
    pexpireat: write(int, ...expiring),
    pexpiretime: read(int, scalar),
    pttl: read(int, scalar),
    randomkey: read(orNull(text)),
    rename: write(text, scalar, scalar),
    renamenx: write(int, scalar, scalar),
    restore: write(text, scalar, scalar, scalar, options("replace? absTtl? idleTime freq")),
    scan: read(
      tuple(text, when(1, "withType", typed, list(text))),
      scalar,
      options("match count withType? type"),
    ),
    sort: writeIf(stores)(when(1, "store", int, sorted), scalar, sorting),
    sortRo: read(sorted, scalar, sorting),
    touch: read(int, rest(scalars)),
    ttl: read(int, scalar),
    type: read(text, scalar),
    unlink: write(int, removed),
    wait: write(int, scalar, scalar),
    waitaof: write(tuple(int, int), scalar, scalar, scalar),
  };
}) satisfies () => Record<keyof GenericCommands<ReplyMode>, unknown>;
