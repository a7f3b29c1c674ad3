import {
  counted,
  entries,
  flattened,
  optional,
  optionalCount,
  options,
  prefixed,
  reading,
  scalar,
  scalars,
  sequence,
} from "./args.js";
import { blockingTime } from "./blocking.js";
import { alternating, int, list, nestedText, object, orNull, text, tuple, value, when } from "./decoders.js";
import { defineCommands, read, reordered, write, writeIf } from "./define.js";
import type { Key, Reply, ReplyMode, Stored } from "./reply-mode.js";
import type { Decoder } from "./spec.js";
import type { StorableField } from "./storable.js";
import type { NestedReply, OnlyKnown } from "./types.js";

/** The treatment of other groups' references to a deleted entry. */
export type StreamRefOption = "KEEPREF" | "keepref" | "DELREF" | "delref" | "ACKED" | "acked";
/** The treatment of other groups' references in xdelex. */
export type XDelExOption = StreamRefOption;
/** The treatment of other groups' references in xackdel. */
export type XAckDelOption = StreamRefOption;

/** Settings of xadd. */
export interface XAddCommandOptions<NoMkStream extends boolean = boolean> {
  /** Does nothing and returns null if there is no stream. */
  nomkStream?: NoMkStream | undefined;
  /** Removes the oldest entries: all but the newest `threshold`, or those with a lower id than `threshold`. */
  trim?:
    | (({ type: "MAXLEN" | "maxlen"; threshold: number } | { type: "MINID" | "minid"; threshold: string }) &
        ({ comparison: "~"; limit?: number | undefined } | { comparison: "="; limit?: undefined }))
    | undefined;
}

/** Settings of the subcommand SETID of xgroup. */
export interface XGroupSetIdOptions {
  /** Number of entries that the group has read. */
  ENTRIESREAD?: number | undefined;
}

/** Settings of the subcommand CREATE of xgroup. */
export interface XGroupCreateOptions extends XGroupSetIdOptions {
  /** Creates the stream if it does not exist. */
  MKSTREAM?: boolean | undefined;
}

/** A subcommand of xgroup and its arguments. */
export type XGroupCommandType =
  | {
      type: "CREATE";
      group: string;
      id: "$" | (string & {});
      options?: XGroupCreateOptions | undefined;
    }
  | { type: "CREATECONSUMER"; group: string; consumer: string }
  | { type: "DELCONSUMER"; group: string; consumer: string }
  | { type: "DESTROY"; group: string }
  | { type: "SETID"; group: string; id: "$" | (string & {}); options?: XGroupSetIdOptions | undefined };

/** The result of xgroup by its subcommand. */
export type XGroupReturnType<O extends XGroupCommandType> = O["type"] extends "CREATE" | "SETID"
  ? string
  : O["type"] extends "CREATECONSUMER" | "DESTROY"
    ? 0 | 1
    : number;

/** The subject of xinfo: consumers, groups or the stream. */
export type XInfoCommands =
  | { type: "CONSUMERS"; group: string }
  | { type: "GROUPS" }
  | { type: "STREAM"; full?: boolean | undefined; count?: number | undefined };

/** Maximum number of entries of xread, and how long it waits. */
export interface XReadOptions {
  /** Maximum number of entries of each stream. */
  count?: number | undefined;
  /** Waits for entries up to this time in milliseconds, 0 forever, where the server allows it. */
  blockMS?: number | undefined;
}

/** Limits of xreadgroup, and whether its entries need an acknowledgement. */
export interface XReadGroupOptions extends XReadOptions {
  /** Counts entries as acknowledged at once. */
  NOACK?: boolean | undefined;
}

/** The pending entries to return. */
export interface XPendingOptions {
  /** Only entries idle for at least this time in milliseconds. */
  idleTime?: number | undefined;
  /** Only entries of this consumer, or of these. */
  consumer?: string | string[] | undefined;
}

/** The number of pending entries, their lowest and highest id, and the number of each consumer. */
export type PendingSummary = [
  count: number,
  lowest: string | null,
  highest: string | null,
  consumers: [name: string, count: number][] | null,
];

/** A pending entry. `idle` is the time in ms since its last delivery, `deliveries` the number of deliveries. */
export type PendingEntry = [id: string, consumer: string, idle: number, deliveries: number];

/** Fields of pending entries that xclaim changes beside their owner. */
export interface XClaimOptions<JustId extends boolean = boolean> {
  /** Sets the entries' idle time, in milliseconds. */
  idleMS?: number | undefined;
  /** Sets the start of the entries' idle time, in milliseconds since 1970. */
  timeMS?: number | undefined;
  /** Sets the entries' number of deliveries. */
  retryCount?: number | undefined;
  /** Also claims entries that are not pending. */
  force?: boolean | undefined;
  /** Returns ids alone, and leaves the number of deliveries unchanged. */
  justId?: JustId | undefined;
  /** Sets the group's last id, if this one is later. */
  lastId?: number | string | undefined;
}

/** The entries that xtrim keeps. */
export interface XTrimOptions {
  /** "MAXLEN" keeps the newest `threshold` entries, "MINID" entries whose id is at least `threshold`. */
  strategy: "MAXLEN" | "MINID";
  /** "~", the default, may leave a few more than the threshold. */
  exactness?: "~" | "=" | undefined;
  /** Number of entries to keep, or the lowest id to keep. */
  threshold: number | string;
  /** Maximum number of entries to remove. */
  limit?: number | undefined;
}

/** Settings of xautoclaim. */
export interface XAutoClaimOptions<JustId extends boolean = boolean> {
  /** Maximum number of entries to look at. Default 100. */
  count?: number | undefined;
  /** Returns ids alone, and leaves the number of deliveries unchanged. */
  justId?: JustId | undefined;
}

/** Settings of xcfgset. */
export interface XCfgSetOptions {
  /** Lifetime of producers' ids, in seconds. */
  duration?: number | undefined;
  /** Number of ids that are remembered per producer. */
  maxSize?: number | undefined;
}

/** Settings of xnack. */
export interface XNackOptions {
  /** Sets the entries' number of deliveries. */
  retryCount?: number | undefined;
  /** Also releases entries that are not pending. */
  force?: boolean | undefined;
}

/** Settings of xsetid. */
export interface XSetIdOptions {
  /** Number of entries that were ever added. */
  entriesAdded?: number | undefined;
  /** The highest id that was deleted. */
  maxDeletedId?: string | undefined;
}

/** An entry: its id, and alternating fields and values, or null if it was deleted while pending. */
export type StreamEntry<T = unknown> = [id: string, fieldsAndValues: (string | T)[] | null];

/** Entries of several streams, each with its key; null if there are none. */
export type StreamEntries<T = unknown> = [key: string, entries: StreamEntry<T>[]][] | null;

/** Entries, or their ids alone with `justId`. */
export type ClaimedEntries<T, JustId extends boolean> = JustId extends true ? string[] : StreamEntry<T>[];

/** The id of one stream, or the ids of several. */
export type StreamIds<Keys extends Key | Key[]> = Keys extends Key[] ? string[] : string;

/** Commands on streams. */
export interface StreamCommands<K extends ReplyMode> {
  /** Marks entries as processed by the group. Returns how many were pending. */
  xack(key: Key, group: string, id: string | string[]): Reply<K, number>;
  /** Acknowledges and deletes entries. Returns for each entry 1; -1 if it does not exist; 2 if references keep it. */
  xackdel(key: Key, group: string, opts: XAckDelOption, ...ids: string[]): Reply<K, number[]>;
  /** Appends an entry; "*" as id lets Redis choose one. Returns the id. */
  xadd<NoMkStream extends boolean = false, T = unknown, Tag = never>(
    key: Key,
    id: "*" | `${number}-*` | (string & {}),
    entries: Record<string, StorableField<K, T, Tag>>,
    opts?: XAddCommandOptions<NoMkStream>,
  ): Reply<K, NoMkStream extends true ? string | null : string>;
  /** Takes over entries idle for `minIdleTime` ms. Returns the next cursor, entries, and ids of deleted ones. */
  xautoclaim<JustId extends boolean = false>(
    key: Key,
    group: string,
    consumer: string,
    minIdleTime: number,
    start: string,
    options?: XAutoClaimOptions<JustId>,
  ): Reply<K, [cursor: string, entries: ClaimedEntries<Stored<K>, JustId>, deletedIds?: string[]]>;
  /** Sets how long ids of producers are remembered, and how many per producer. */
  xcfgset(key: Key, opts: XCfgSetOptions): Reply<K, "OK">;
  /** Takes over entries idle for `minIdleTime` ms. Returns them, or with `justId` their ids. */
  xclaim<JustId extends boolean = false>(
    key: Key,
    group: string,
    consumer: string,
    minIdleTime: number,
    id: string | string[],
    options?: XClaimOptions<JustId>,
  ): Reply<K, ClaimedEntries<Stored<K>, JustId>>;
  /** Deletes entries. Returns how many were deleted. */
  xdel(key: Key, ids: string | string[]): Reply<K, number>;
  /** Deletes entries. Returns for each entry 1; -1 if it does not exist; 2 if references keep it. */
  xdelex(key: Key, opts?: XDelExOption, ...ids: string[]): Reply<K, number[]>;
  /** Creates, changes or removes a consumer group or a consumer. */
  xgroup<O extends XGroupCommandType & OnlyKnown<O, XGroupCommandType>>(
    key: Key,
    opts: O,
  ): Reply<K, XGroupReturnType<O>>;
  /** Returns facts about a stream, its groups or consumers, as Redis's alternating names and values. */
  xinfo(key: Key, options: XInfoCommands): Reply<K, NestedReply[]>;
  /** Returns how many entries there are. */
  xlen(key: Key): Reply<K, number>;
  /** Releases pending entries for other consumers. Returns how many were released. */
  xnack(
    key: Key,
    group: string,
    mode: "SILENT" | "FAIL" | "FATAL",
    ids: string | string[],
    opts?: XNackOptions,
  ): Reply<K, number>;
  /** Returns a summary of pending entries: how many, lowest id, highest id, how many per consumer. */
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
  /** Returns entries by id in order, each as an object. */
  xrange<T extends object = Record<string, Stored<K>>>(
    key: Key,
    start: string,
    end: string,
    count?: number,
  ): Reply<K, Record<string, T>>;
  /** Returns the entries after an id: `[key, [[id, [field, value, ...]], ...]]` for each stream, or null. */
  xread<Keys extends Key | Key[]>(
    keys: Keys,
    ids: StreamIds<Keys>,
    options?: XReadOptions,
  ): Reply<K, StreamEntries<Stored<K>>>;
  /** Returns entries to a consumer of a group, as xread does. The id ">" means entries never delivered. */
  xreadgroup<Keys extends Key | Key[]>(
    group: string,
    consumer: string,
    keys: Keys,
    ids: StreamIds<Keys>,
    options?: XReadGroupOptions,
  ): Reply<K, StreamEntries<Stored<K>>>;
  /** Returns entries by id from the last, each as an object. */
  xrevrange<T extends object = Record<string, Stored<K>>>(
    key: Key,
    end: string,
    start: string,
    count?: number,
  ): Reply<K, Record<string, T>>;
  /** Sets the stream's last id. */
  xsetid(key: Key, lastId: string, opts?: XSetIdOptions): Reply<K, "OK">;
  /** Removes the oldest entries. Returns how many were removed. */
  xtrim(key: Key, options: XTrimOptions): Reply<K, number>;
}

export default defineCommands(() => {
  const ids = prefixed("IDS", counted);
  const idList = flattened(ids);

  // Redis assumes "=", so it is not sent.
  const bounds = options("threshold= limit");
  const trimming = reading("type strategy comparison exactness threshold limit", (out, arg, encode) => {
    if (!arg) return;
    const { strategy, type = strategy, exactness = "~", comparison = exactness } = arg;
    scalar(out, type, encode);
    if (comparison !== "=") scalar(out, comparison, encode);
    bounds(out, arg, encode);
  });

  const streamsAfter = (spec: string) =>
    sequence(options(spec), (out) => {
      out.push("STREAMS");
    });

  // An entry that was deleted while pending has no fields.
  const entryList = list(tuple(text, orNull(alternating(text, value))));
  const streams = orNull(list(tuple(text, entryList)));
  const byId = list(tuple(text, object(value)));
  const texts = list(text);
  const claimed = when(5, "justId", texts, entryList);

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
    optionalCount,
  );

  return {
    xack: write(int, scalar, scalar, scalars),
    xackdel: write(list(int), scalar, scalar, scalar, idList),
    xadd: reordered(
      [0, 3, 1, 2],
      write(orNull(text), scalar, options("nomkStream? trim=", { trim: trimming }), scalar, entries),
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
      [1, 0, 1],
      write(
        (reply) => (typeof reply === "number" ? reply : text(reply)),
        options("type!="),
        scalar,
        options("group= id= consumer= options=", { options: options("MKSTREAM? ENTRIESREAD") }),
      ),
    ),
    xinfo: reordered([1, 0, 1], read(nestedText, options("type!="), scalar, options("group= full? count"))),
    xlen: read(int, scalar),
    xnack: write(int, scalar, scalar, scalar, ids, options("retryCount force?")),
    xpending: reordered(
      [0, 1, 5, 2, 3, 4, 5],
      read(
        when(2, undefined, list(tuple(text, text, int, int)), summary),
        scalar,
        scalar,
        options("idleTime=IDLE"),
        optional(scalar),
        optional(scalar),
        optional(scalar),
        options("consumer*="),
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
