import {
  InvalidStreamIdError,
  RedisCommandError,
  RedisResult,
  type RedisStreamData,
  RedisValue,
  StreamIdNotGreaterThanZeroError,
} from "js-redis-server/core";
import { peek } from "../keyspace.js";
import type { StoredValue } from "../stored-value.js";
import {
  isBefore,
  lagOf,
  MAX_UINT64,
  MIN_ID,
  parseId,
  placeAfter,
  placeOf,
  type StreamEntries,
  type StreamId,
} from "../stream-data.js";
import type { WaitingClients } from "../waiting-clients.js";
import { letWait, streamRead } from "./blocking.js";
import {
  array,
  bulkValue,
  type CommandTable,
  type Context,
  integer,
  itemsOf,
  optionName,
  parseInt64,
  parseInteger,
  replyText,
  withDatabase,
} from "./define.js";
import { checkTimeout } from "./server.js";

const ZERO = Buffer.from("0");

/** The error of XGROUP where there is no stream. */
export function missingStream(): RedisCommandError {
  return new RedisCommandError(
    "The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  );
}

export function noSuchConsumerGroup(key: Buffer, group: Buffer): RedisCommandError {
  return new RedisCommandError(`No such consumer group '${group}' for key name '${key}'`, "NOGROUP");
}

export function noSuchGroup(key: Buffer, group: Buffer): RedisCommandError {
  return new RedisCommandError(`No such key '${key}' or consumer group '${group}'`, "NOGROUP");
}

export function hasGroup(value: StoredValue | undefined, group: Buffer): boolean {
  return value?.type === "stream" && value.groups.has(group.toString("hex"));
}

const isSign = (arg: Buffer | undefined) => /^[=~]$/.test(optionName(arg));
const isNegative = (arg: Buffer | undefined) => /^-\d+$/.test(optionName(arg));

/** Checks the count of MAXLEN. `MAXLEN = 5` and `MAXLEN 5` mean the same; the library reads only the latter. */
function plainTrim(args: readonly Buffer[]): readonly Buffer[] {
  // Behind the id of XADD the same words are fields and values.
  const at = optionName(args[1]) === "NOMKSTREAM" ? 2 : 1;
  const option = optionName(args[at]);
  if (option !== "MAXLEN" && option !== "MINID") return args;
  const count = args[isSign(args[at + 1]) ? at + 2 : at + 1];
  if (option === "MAXLEN" && count) {
    if (!/^-?\d+$/.test(count.toString("latin1")))
      throw new RedisCommandError("value is not an integer or out of range");
    if (isNegative(count)) throw new RedisCommandError("The MAXLEN argument must be >= 0.");
  }
  return optionName(args[at + 1]) === "=" ? args.toSpliced(at + 1, 1) : args;
}

function checkIds([, ...ids]: readonly Buffer[]): void {
  for (const id of ids) if (!parseId(id.toString("latin1"))) throw new InvalidStreamIdError();
}

const CLAIM_OPTIONS = new Set(["IDLE", "TIME", "RETRYCOUNT", "FORCE", "JUSTID", "LASTID"]);

/** Redis takes the first argument of XCLAIM that is not an id for an option. */
function checkClaimedIds([, , , , ...ids]: readonly Buffer[]): void {
  const option = ids.find((id) => !parseId(id.toString("latin1")));
  if (option && !CLAIM_OPTIONS.has(optionName(option)))
    throw new RedisCommandError(`Unrecognized XCLAIM option '${option}'`);
}

const ADD_OPTION_LENGTHS: Readonly<Record<string, number>> = { NOMKSTREAM: 1, MAXLEN: 2, MINID: 2, LIMIT: 2 };

/** The library reads the id only after it has found a stream. */
function checkAddId(args: readonly Buffer[]): void {
  let at = 1;
  for (;;) {
    const option = optionName(args[at]);
    const length = ADD_OPTION_LENGTHS[option];
    if (length === undefined) break;
    at += isSign(args[at + 1]) ? length + 1 : length;
    if (option === "MINID") checkIds(args.slice(at - 2, at));
  }
  const id = args[at]?.toString("latin1");
  // Without an id, or a field and its value, the number of arguments is wrong.
  if (id === undefined || id === "*" || args.length < at + 3) return;
  const parsed = parseId(id.replace(/-\*$/, "-1"));
  if (!parsed) throw new InvalidStreamIdError();
  if (parsed.ms === 0n && parsed.seq === 0n) throw new StreamIdNotGreaterThanZeroError();
}

/** A bound of a range: an id, its milliseconds alone, `-` or `+`; `(` leaves an id itself out. */
function checkRangeBound(bound: Buffer): void {
  const text = bound.toString("latin1");
  if (text === "-" || text === "+") return;
  if (!parseId(text.replace(/^\(/, ""))) throw new InvalidStreamIdError();
}

const NO_NEWEST =
  "The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.";

function checkNoNewest(args: readonly Buffer[]): void {
  const streams = args.findIndex((arg) => optionName(arg) === "STREAMS") + 1;
  const ids = args.slice(streams + (args.length - streams) / 2);
  if (streams > 0 && ids.some((id) => id.toString("latin1") === "$")) throw new RedisCommandError(NO_NEWEST);
}

/** A count or an idle time as the library takes it. A negative one means the same as 0. */
function atLeastZero(arg: Buffer): Buffer {
  return Buffer.from(String(Math.max(0, parseInteger(arg))));
}

/** Checks COUNT and BLOCK of XREAD and XREADGROUP, and puts GROUP with its two names first, where the library expects it. */
function plainReadOptions(args: readonly Buffer[]): readonly Buffer[] {
  const group: Buffer[] = [];
  const others = [...args];
  for (let at = 0; at + 1 < others.length && optionName(others[at]) !== "STREAMS"; ) {
    const option = optionName(others[at]);
    const value = others[at + 1]!;
    if (option === "BLOCK") checkTimeout(value);
    if (option === "COUNT") others[at + 1] = atLeastZero(value);
    if (option === "GROUP") group.push(...others.splice(at, 3));
    else at += option === "BLOCK" || option === "COUNT" ? 2 : 1;
  }
  return [...group, ...others];
}

function checkClaimCount(args: readonly Buffer[]): void {
  const at = args.findIndex((arg, index) => index > 4 && optionName(arg) === "COUNT") + 1;
  if (at > 0 && args[at] && !(parseInt64(optionName(args[at]))! > 0n))
    throw new RedisCommandError("COUNT must be > 0");
}

/** The least idle time of XCLAIM or XAUTOCLAIM. */
function plainIdleTime(name: string, args: readonly Buffer[]): readonly Buffer[] {
  const idle = args[3];
  if (!idle) return args;
  if (parseInt64(idle.toString("latin1")) === undefined)
    throw new RedisCommandError(`Invalid min-idle-time argument for ${name.toUpperCase()}`);
  return args.with(3, atLeastZero(idle));
}

/** The id at which XAUTOCLAIM starts. The library takes neither `-` nor `+`, nor `(` before an id, which leaves that id out. */
function plainStart(args: readonly Buffer[]): readonly Buffer[] {
  const bound = args[4];
  if (!bound) return args;
  checkRangeBound(bound);
  const text = bound.toString("latin1");
  if (text === "-") return args.with(4, ZERO);
  if (text === "+") return args.with(4, Buffer.from(`${MAX_UINT64}-${MAX_UINT64}`));
  if (!text.startsWith("(")) return args;
  const { ms, seq } = parseId(text.slice(1))!;
  if (ms === MAX_UINT64 && seq === MAX_UINT64)
    throw new RedisCommandError("invalid start ID for the interval");
  return args.with(4, Buffer.from(seq === MAX_UINT64 ? `${ms + 1n}-0` : `${ms}-${seq + 1n}`));
}

/** Checks a range of XPENDING: key, group, IDLE with its number, start, end and count. */
function plainPendingRange(args: readonly Buffer[]): readonly Buffer[] {
  const count = optionName(args[2]) === "IDLE" ? 6 : 4;
  const places = [count - 3, count];
  for (const bound of args.slice(count - 2, count)) checkRangeBound(bound);
  return args.map((arg, at) => (at > 2 && places.includes(at) ? atLeastZero(arg) : arg));
}

/** Sorts items by the bytes of their names. */
function byName(items: readonly RedisValue[], nameOf: (item: RedisValue) => string): RedisValue[] {
  return items.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

/** The summary of XPENDING has the consumers by name, and each one's count as a string. */
function countsAsText(consumers: RedisValue): RedisValue {
  const asText = (item: RedisValue) => (item.kind === "integer" ? bulkValue(String(item.value)) : item);
  return RedisValue.array(
    byName(itemsOf(consumers), (consumer) => replyText(itemsOf(consumer)[0])).map((consumer) =>
      RedisValue.array(itemsOf(consumer).map(asText)),
    ),
  );
}

type TrimSpec = { approximate: boolean; limit: bigint | null } & (
  | { strategy: "maxlen"; count: bigint }
  | { strategy: "minid"; minId: StreamId }
);

/** Entries that Redis stores in one node of a stream. */
const NODE_ENTRIES = 100;
/** Entries that a trim with `~` removes at most, by default. */
const DEFAULT_TRIM_LIMIT = 100 * NODE_ENTRIES;

/** The ids of a stream's entries, with the one that is about to be added: undefined if it is not known yet. */
interface Ids {
  readonly length: number;
  at(place: number): StreamId | undefined;
}

/** Returns an exact trim in place of one with `~`, which removes whole nodes only. */
function inWholeNodes(trim: TrimSpec, ids: Ids): TrimSpec {
  const limit = trim.limit === null ? DEFAULT_TRIM_LIMIT : Number(trim.limit) || Number.POSITIVE_INFINITY;
  let removed = 0;
  while (removed < ids.length) {
    const end = Math.min(ids.length, removed + NODE_ENTRIES);
    const last = ids.at(end - 1);
    const isOld =
      trim.strategy === "maxlen" ? ids.length - end >= trim.count : last && isBefore(last, trim.minId);
    if (!isOld || end > limit) break;
    removed = end;
  }
  return { strategy: "maxlen", count: BigInt(ids.length - removed), approximate: false, limit: null };
}

/** Returns a context in which streams have only a part of their entries. */
function withEntries(ctx: Context, partOf: (key: Buffer, stream: RedisStreamData) => StreamEntries): Context {
  return withDatabase(ctx, {
    getStream(key) {
      const stream = ctx.db.getStream(key);
      return stream && { ...stream, entries: partOf(key, stream) };
    },
  });
}

type RangeArguments = { key: Buffer; start: string; end: string; count: number | null };

/**
 * The place of the first entry of a range, or the one behind its last entry. An end without a sequence number stands for all
 * of its ms.
 */
function placeOfBound(entries: StreamEntries, bound: string, isEnd: boolean): number {
  if (bound === "-") return 0;
  if (bound === "+") return entries.length;
  const id = parseId(bound.replace("(", ""))!;
  if (isEnd && !bound.includes("-")) id.seq = MAX_UINT64;
  return isEnd === bound.startsWith("(") ? placeOf(entries, id) : placeAfter(entries, id);
}

/** The reply of XINFO, with groups and consumers by name, and the lags of groups. */
function withLags(reply: RedisValue, stream: RedisStreamData): RedisValue {
  if (reply.kind === "array")
    return RedisValue.array(byName(reply.items, nameIn).map((item) => withLag(item, stream)));
  return replaceField(reply, "groups", (groups) => withLags(groups, stream));
}

function withLag(group: RedisValue, stream: RedisStreamData): RedisValue {
  return replaceField(group, "lag", () => {
    const found = stream.groups.get(Buffer.from(nameIn(group), "latin1").toString("hex"));
    const lag = found && lagOf(stream, found);
    return lag === undefined ? RedisValue.null() : RedisValue.integer(lag);
  });
}

/** The field `name` of a map, as Latin-1 text (one character per byte). */
function nameIn(map: RedisValue): string {
  return map.kind === "map" ? replyText(map.entries.find(([field]) => replyText(field) === "name")?.[1]) : "";
}

function replaceField(map: RedisValue, name: string, replace: (value: RedisValue) => RedisValue): RedisValue {
  if (map.kind !== "map") return map;
  return RedisValue.map(
    map.entries.map(([field, value]) => [field, replyText(field) === name ? replace(value) : value]),
  );
}

/** The form in which the library parses the arguments of most stream commands. */
type Options<A> = { args: A };

/** Replaces the stream commands whose replies differ from Redis's. */
export function addStreamCommands(table: CommandTable, waiting: WaitingClients): void {
  addTrims(table);
  addReads(table, waiting);
  addGroupCommands(table, waiting);
  // Adds the lag of each group as Redis computes it: null if deleted entries make it unknown.
  table.override<Options<{ key: Buffer }>>("xinfo", (args, ctx, run) => {
    const result = run(args);
    const value = peek(ctx.db, args.args.key);
    if (value?.type !== "stream") return result;
    return RedisResult.create(withLags(result.value, value), result.options);
  });
  table.check("xdel", checkIds);
  type SetId = { key: Buffer; id: StreamId; entriesAdded: number | null; maxDeletedId: StreamId | null };
  table.override<Options<SetId>>("xsetid", (args, ctx, run) => {
    const { key, id, ...rest } = args.args;
    const value = peek(ctx.db, key);
    // The id may go back to that of the newest entry. The library compares it with the highest id that the stream ever had.
    const isAllowed = value?.type === "stream" && !isBefore(id, value.entries.at(-1)?.id ?? id);
    if (!isAllowed) return run(args);
    ctx.db.updateStream(key, (stream) => stream.setId(id, rest));
    return RedisResult.ok();
  });
}

/** XADD and XTRIM remove whole nodes where they trim with `~`. */
function addTrims(table: CommandTable): void {
  table.override<{ key: Buffer; trim?: TrimSpec; id?: string }>("xadd xtrim", (args, ctx, run) => {
    const { key, trim, id } = args;
    const value = peek(ctx.db, key);
    if (!trim?.approximate || (value && value.type !== "stream")) return run(args);
    const entries = value?.entries ?? [];
    const ids: Ids = {
      length: entries.length + (id === undefined ? 0 : 1),
      at(place) {
        const entry = entries[place];
        if (!entry || !value) return id === undefined ? undefined : parseId(id);
        // A node keeps the ids of its deleted entries.
        const isLast = place === entries.length - 1;
        return isLast && isBefore(entry.id, value.maxDeletedEntryId) ? value.maxDeletedEntryId : entry.id;
      },
    };
    return run({ ...args, trim: inWholeNodes(trim, ids) });
  });
  table.check("xadd", checkAddId);
  table.rewrite("xadd xtrim", plainTrim);
}

function addReads(table: CommandTable, waiting: WaitingClients): void {
  type Read = { count: number | null; streams: readonly { key: Buffer; afterId: StreamId | "$" | "+" }[] };
  // Starts at the first entry that may be returned, so that the library does not read all entries before it.
  table.override<Options<Read>>("xread", (args, ctx, run) => {
    const { streams, count } = args.args;
    const afterIds = new Map(streams.map(({ key, afterId }) => [key.toString("hex"), afterId]));
    const isRepeated = afterIds.size < streams.length;
    const within = withEntries(ctx, (key, { entries }) => {
      const after = afterIds.get(key.toString("hex"));
      if (isRepeated || after === undefined || typeof after === "string") return entries;
      const from = placeAfter(entries, after);
      return entries.slice(from, count ? from + count : undefined);
    });
    return run(args, within);
  });
  letWait(table, waiting, "xread", streamRead(false));
  letWait(table, waiting, "xreadgroup", streamRead(true));
  // `$` means the newest entry at the beginning, however often the command is run.
  table.override<Options<Read>>("xread", ({ args }, ctx, run) => {
    const streams = args.streams.map(({ key, afterId }) => ({
      key,
      afterId: afterId === "$" ? (ctx.db.getStream(key)?.lastId ?? MIN_ID) : afterId,
    }));
    return run({ args: { ...args, streams } });
  });
  table.check("xreadgroup", checkNoNewest);
  table.replace("xread xreadgroup", (base) => ({
    ...base,
    execute(given, ctx) {
      const { blockMs } = (given as Options<{ blockMs: number | null }>).args;
      // A script may not wait, even if there are entries.
      if (ctx.monitor?.defer && blockMs !== null)
        throw new RedisCommandError(`${base.name} command is not allowed with BLOCK option from scripts`);
      return base.execute(given, ctx);
    },
  }));
  table.rewrite("xread xreadgroup", plainReadOptions);

  /** Lets the library read only the entries of the range. */
  const range = (name: string, isReverse: boolean) =>
    table.override<RangeArguments>(name, (args, ctx, run) => {
      const { key, start, end, count } = args;
      const isNone = count !== null && count <= 0 && peek(ctx.db, key)?.type === "stream";
      if (isNone) return RedisResult.create(RedisValue.nullArray());
      const within = withEntries(ctx, (_key, { entries }) => {
        const from = placeOfBound(entries, start, false);
        const to = Math.max(from, placeOfBound(entries, end, true));
        if (count === null) return entries.slice(from, to);
        return isReverse
          ? entries.slice(Math.max(from, to - count), to)
          : entries.slice(from, Math.min(to, from + count));
      });
      return run(args, within);
    });
  range("xrange", false);
  range("xrevrange", true);
  table.check("xrange xrevrange", ([, start, end]) => {
    if (start && end) [start, end].forEach(checkRangeBound);
  });
}

function addGroupCommands(table: CommandTable, waiting: WaitingClients): void {
  table.override<{ key: Buffer; group: Buffer }>("xack", (args, ctx, run) => {
    const value = peek(ctx.db, args.key);
    const isMissing = !value || (value.type === "stream" && !hasGroup(value, args.group));
    return isMissing ? integer(0) : run(args);
  });
  table.override<Options<{ count?: number }>>("xpending", (args, _ctx, run) => {
    const { count } = args.args;
    const result = run(args);
    if (count === 0) return array([]);
    if (count !== undefined || result.value.kind !== "array") return result;
    // Without pending entries there is no list of consumers either.
    const { items } = result.value;
    const isEmpty = items[0]?.kind === "integer" && items[0].value === 0;
    return array(items.with(3, isEmpty ? RedisValue.nullArray() : countsAsText(items[3]!)));
  });
  table.rewrite("xpending", plainPendingRange);
  table.override<Options<{ subcommand: string; key: Buffer; group: Buffer }>>("xgroup", (args, ctx, run) => {
    const { subcommand, key, group } = args.args;
    const value = peek(ctx.db, key);
    if (subcommand !== "create" && !value) throw missingStream();
    const needsGroup = subcommand !== "create" && subcommand !== "destroy";
    if (needsGroup && value?.type === "stream" && !hasGroup(value, group))
      throw noSuchConsumerGroup(key, group);
    // Clients that wait for entries of the group must fail.
    if (subcommand === "destroy") waiting.signal(ctx.db, key, "stream");
    return run(args);
  });
  table.check("xclaim", checkClaimedIds);
  table.check("xautoclaim", checkClaimCount);
  table.rewrite("xautoclaim", plainStart);
  for (const name of ["xclaim", "xautoclaim"]) table.rewrite(name, (args) => plainIdleTime(name, args));
}
