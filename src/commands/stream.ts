import {
  counted,
  entries,
  gathered,
  optional,
  options,
  prefixed,
  property,
  reading,
  required,
  scalar,
  scalars,
  sequence,
} from "./args.js";
import { blockingTime } from "./blocking.js";
import { alternating, int, list, nestedText, object, orNull, text, tuple, value, when } from "./decoders.js";
import { defineCommands, read, reordered, write, writeIf } from "./define.js";
import type { Key, Reply, ReplyMode } from "./reply-mode.js";
import type { Decoder } from "./spec.js";

/** How to treat other groups' references to a deleted entry. */
export type StreamRefOption = "KEEPREF" | "keepref" | "DELREF" | "delref" | "ACKED" | "acked";
export type XDelExOption = StreamRefOption;
export type XAckDelOption = StreamRefOption;

/** Settings of xadd. */
export interface XAddCommandOptions {
  /** Does nothing and returns null if there is no stream. */
  nomkStream?: boolean;
  /** Remove the oldest entries meanwhile: by how many are to stay, or by the lowest id. */
  trim?: ({ type: "MAXLEN" | "maxlen"; threshold: number } | { type: "MINID" | "minid"; threshold: string }) &
    ({ comparison: "~"; limit?: number } | { comparison: "="; limit?: never });
}

/** A subcommand of xgroup and its arguments. */
export type XGroupCommandType =
  | {
      type: "CREATE";
      group: string;
      id: "$" | (string & {});
      options?: { MKSTREAM?: boolean; ENTRIESREAD?: number };
    }
  | { type: "CREATECONSUMER"; group: string; consumer: string }
  | { type: "DELCONSUMER"; group: string; consumer: string }
  | { type: "DESTROY"; group: string }
  | { type: "SETID"; group: string; id: "$" | (string & {}); options?: { ENTRIESREAD?: number } };

export type XGroupReturnType<O extends XGroupCommandType> = O["type"] extends "CREATE" | "SETID"
  ? string
  : O["type"] extends "CREATECONSUMER" | "DESTROY"
    ? 0 | 1
    : number;

/** The subject of xinfo: consumers, groups or the stream. */
export type XInfoCommands =
  | { type: "CONSUMERS"; group: string }
  | { type: "GROUPS" }
  | { type: "STREAM"; full?: boolean; count?: number };

/** Maximum number of entries of xread, and how long it waits. */
export interface XReadOptions {
  /** The most entries of each stream. */
  count?: number;
  /** Wait for entries this long, in milliseconds, where the server allows it; 0 forever. */
  blockMS?: number;
}

/** Limits of xreadgroup, and whether its entries need an acknowledgement. */
export interface XReadGroupOptions extends XReadOptions {
  /** Count entries as acknowledged at once. */
  NOACK?: boolean;
}

/** The pending entries to return. */
export interface XPendingOptions {
  /** Only entries idle for this long, in milliseconds. */
  idleTime?: number;
  /** Only those of this consumer. */
  consumer?: string | string[];
}

/** How many entries are pending, their lowest and highest id, and how many each consumer has. */
export type PendingSummary = [
  count: number,
  lowest: string | null,
  highest: string | null,
  consumers: [name: string, count: number][] | null,
];

/** An entry that was given to a consumer: for how long, in ms, and how often. */
export type PendingEntry = [id: string, consumer: string, idle: number, deliveries: number];

/** Fields of pending entries that xclaim changes beside their owner. */
export interface XClaimOptions {
  /** Count them as idle for this long, in ms. */
  idleMS?: number;
  /** Count them as idle since then, in ms since 1970. */
  timeMS?: number;
  /** Count them as given so often. */
  retryCount?: number;
  /** Claim them even where they are not pending. */
  force?: boolean;
  /** Returns ids alone, and leaves the count of deliveries unchanged. */
  justId?: boolean;
  /** Set the group's last id, where this one is later. */
  lastId?: number | string;
}

/** Which entries xtrim leaves. */
export interface XTrimOptions {
  /** By how many are to stay, or by the lowest id. */
  strategy: "MAXLEN" | "MINID";
  /** "~", the default, may leave a few more than the threshold. */
  exactness?: "~" | "=";
  /** That number, or that id. */
  threshold: number | string;
  /** The most entries to remove. */
  limit?: number;
}

type Entries<T> = Record<string, T>;
type Fields = Record<string, unknown>;

export interface StreamCommands<K extends ReplyMode> {
  /**
   * Marks entries as processed by the group. Returns how many were pending.
   * @see https://redis.io/commands/xack/
   */
  xack(key: Key, group: string, id: string | string[]): Reply<K, number>;
  /**
   * Acknowledges entries and deletes them. Returns for each 1, -1 if there is none, 2 if a reference is left.
   * @see https://redis.io/commands/xackdel/
   */
  xackdel(key: Key, group: string, opts: XAckDelOption, ...ids: string[]): Reply<K, number[]>;
  /**
   * Appends an entry; "*" as id lets Redis choose one. Returns the id.
   * @see https://redis.io/commands/xadd/
   */
  xadd<O extends XAddCommandOptions = Record<never, never>>(
    key: Key,
    id: "*" | `${number}-*` | (string & {}),
    entries: Fields,
    opts?: O,
  ): Reply<K, O extends { nomkStream: true } ? string | null : string>;
  /**
   * Takes over entries idle for `minIdleTime` ms. Returns the next cursor, the entries, and the ids of deleted ones.
   * @see https://redis.io/commands/xautoclaim/
   */
  xautoclaim(
    key: Key,
    group: string,
    consumer: string,
    minIdleTime: number,
    start: string,
    options?: { count?: number; justId?: boolean },
  ): Reply<K, unknown[]>;
  /** Sets how long and how many ids of producers are remembered: seconds, and ids per producer. */
  xcfgset(key: Key, opts: { duration?: number; maxSize?: number }): Reply<K, "OK">;
  /**
   * Takes over entries idle for `minIdleTime` ms. Returns them, or with `justId` their ids.
   * @see https://redis.io/commands/xclaim/
   */
  xclaim(
    key: Key,
    group: string,
    consumer: string,
    minIdleTime: number,
    id: string | string[],
    options?: XClaimOptions,
  ): Reply<K, unknown[]>;
  /**
   * Deletes entries. Returns how many were deleted.
   * @see https://redis.io/commands/xdel/
   */
  xdel(key: Key, ids: string | string[]): Reply<K, number>;
  /**
   * Deletes entries. Returns for each 1, -1 if there is none, 2 if a reference is left.
   * @see https://redis.io/commands/xdelex/
   */
  xdelex(key: Key, opts?: XDelExOption, ...ids: string[]): Reply<K, number[]>;
  /**
   * Creates, changes or removes a consumer group or a consumer.
   * @see https://redis.io/commands/xgroup/
   */
  xgroup<O extends XGroupCommandType>(key: Key, opts: O): Reply<K, XGroupReturnType<O>>;
  /**
   * Returns facts about a stream, its groups or a group's consumers, as alternating names and values of Redis.
   * @see https://redis.io/commands/xinfo/
   */
  xinfo(key: Key, options: XInfoCommands): Reply<K, unknown[]>;
  /**
   * Returns how many entries there are.
   * @see https://redis.io/commands/xlen/
   */
  xlen(key: Key): Reply<K, number>;
  /** Releases pending entries for others to take. Returns how many were released. */
  xnack(
    key: Key,
    group: string,
    mode: "SILENT" | "FAIL" | "FATAL",
    ids: string | string[],
    opts?: { retryCount?: number; force?: boolean },
  ): Reply<K, number>;
  /**
   * Returns a summary of pending entries: how many, lowest id, highest id, how many per consumer.
   * @see https://redis.io/commands/xpending/
   */
  xpending(key: Key, group: string): Reply<K, PendingSummary>;
  /** Returns pending entries: id, consumer, idle time in milliseconds, times delivered. */
  xpending(
    key: Key,
    group: string,
    start: string,
    end: string,
    count: number,
    options?: XPendingOptions,
  ): Reply<K, PendingEntry[]>;
  /**
   * Returns entries by id in order, each as an object.
   * @see https://redis.io/commands/xrange/
   */
  xrange<T extends Fields = Fields>(
    key: Key,
    start: string,
    end: string,
    count?: number,
  ): Reply<K, Entries<T>>;
  /**
   * Returns the entries after an id, per stream: `[key, [[id, [field, value, ...]], ...]]`; null if there are none.
   * @see https://redis.io/commands/xread/
   */
  xread(key: Key, id: string, options?: XReadOptions): Reply<K, unknown[] | null>;
  /** Returns the entries after an id of each of several streams, in the same form. */
  xread(keys: Key[], ids: string[], options?: XReadOptions): Reply<K, unknown[] | null>;
  /**
   * Returns entries to a consumer of a group, in the form of xread. The id ">" stands for entries never delivered.
   * @see https://redis.io/commands/xreadgroup/
   */
  xreadgroup(
    group: string,
    consumer: string,
    key: Key,
    id: string,
    options?: XReadGroupOptions,
  ): Reply<K, unknown[] | null>;
  /** Returns entries of several streams to a consumer of a group, each stream with its id. */
  xreadgroup(
    group: string,
    consumer: string,
    keys: Key[],
    ids: string[],
    options?: XReadGroupOptions,
  ): Reply<K, unknown[] | null>;
  /**
   * Returns entries by id from the last, each as an object.
   * @see https://redis.io/commands/xrevrange/
   */
  xrevrange<T extends Fields = Fields>(
    key: Key,
    end: string,
    start: string,
    count?: number,
  ): Reply<K, Entries<T>>;
  /**
   * Sets the stream's last id.
   * @see https://redis.io/commands/xsetid/
   */
  xsetid(key: Key, lastId: string, opts?: { entriesAdded?: number; maxDeletedId?: string }): Reply<K, "OK">;
  /**
   * Removes the oldest entries. Returns how many were removed.
   * @see https://redis.io/commands/xtrim/
   */
  xtrim(key: Key, options: XTrimOptions): Reply<K, number>;
}

export const streamCommands = defineCommands(() => {
  const ids = prefixed("IDS", counted);
  const idList = gathered((out, given, encode) => ids(out, given.flat(), encode));

  // Redis assumes "=", so it is not sent.
  const bounds = options("threshold= limit");
  const trimming = reading("type strategy comparison exactness threshold limit", (out, given, encode) => {
    if (!given) return;
    const { strategy, type = strategy, exactness = "~", comparison = exactness } = given;
    scalar(out, type, encode);
    if (comparison !== "=") scalar(out, comparison, encode);
    bounds(out, given, encode);
  });

  const streamsAfter = (spec: string) =>
    sequence(options(spec), (out) => {
      out.push("STREAMS");
    });

  // An entry that was deleted while pending has no fields.
  const listed = list(tuple(text, orNull(alternating(text, value))));
  const streams = orNull(list(tuple(text, listed)));
  const byId = list(tuple(text, object(value)));
  const texts = list(text);
  const claimed = when(5, "justId", texts, listed);

  // Redis before 7.0 does not return which entries were deleted.
  const autoclaimed: Decoder = (...reply) =>
    tuple(text, claimed, ...((reply[0] as unknown[] | null)?.length === 2 ? [] : [texts]))(...reply);

  const summary = tuple(int, orNull(text), orNull(text), orNull(list(tuple(text, int))));

  const blocks = (args: readonly unknown[]) => blockingTime(["XREAD", ...args]) !== undefined;

  const range = read(
    (...reply) => Object.fromEntries(byId(...reply) as [string, unknown][]),
    scalar,
    scalar,
    scalar,
    optional(prefixed("COUNT", scalar)),
  );

  return {
    xack: write(int, scalar, scalar, scalars),
    xackdel: write(list(int), scalar, scalar, scalar, idList),
    xadd: reordered(
      [0, 3, 1, 2],
      write(
        orNull(text),
        scalar,
        sequence(options("nomkStream?"), property("trim", trimming)),
        scalar,
        entries,
      ),
    ),
    xautoclaim: write(autoclaimed, scalar, scalar, scalar, scalar, scalar, options("count justId?")),
    xcfgset: write(text, scalar, options("duration=IDMP-DURATION maxSize=IDMP-MAXSIZE")),
    xclaim: write(
      claimed,
      scalar,
      scalar,
      scalar,
      scalar,
      scalars,
      options("idleMS=IDLE timeMS=TIME retryCount force? justId? lastId"),
    ),
    xdel: write(int, scalar, scalars),
    xdelex: write(list(int), scalar, optional(scalar), idList),
    xgroup: reordered(
      [1, 0, 1, 1],
      write(
        (reply) => (typeof reply === "number" ? reply : text(reply)),
        required("type", scalar),
        scalar,
        options("group= id= consumer="),
        property("options", options("MKSTREAM? ENTRIESREAD")),
      ),
    ),
    xinfo: reordered(
      [1, 0, 1],
      read(nestedText, required("type", scalar), scalar, options("group= full? count")),
    ),
    xlen: read(int, scalar),
    xnack: write(int, scalar, scalar, scalar, ids, options("retryCount force?")),
    xpending: reordered(
      [0, 1, 5, 2, 3, 4, 5],
      read(
        when(2, undefined, list(tuple(text, text, int, int)), summary),
        scalar,
        scalar,
        property("idleTime", prefixed("IDLE", scalar)),
        optional(scalar),
        optional(scalar),
        optional(scalar),
        property("consumer", scalars),
      ),
    ),
    xrange: range,
    xread: reordered(
      [2, 0, 1],
      writeIf(blocks)(streams, streamsAfter("count blockMS=BLOCK"), scalars, scalars),
    ),
    xreadgroup: reordered(
      [0, 1, 4, 2, 3],
      write(
        streams,
        prefixed("GROUP", scalar),
        scalar,
        streamsAfter("count blockMS=BLOCK NOACK?"),
        scalars,
        scalars,
      ),
    ),
    xrevrange: range,
    xsetid: write(text, scalar, scalar, options("entriesAdded maxDeletedId")),
    xtrim: write(int, scalar, trimming),
  };
}) satisfies () => Record<keyof StreamCommands<ReplyMode>, unknown>;
