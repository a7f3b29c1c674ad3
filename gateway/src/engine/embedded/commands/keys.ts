import {
  type ClientSession,
  cloneRedisDataValue,
  RedisCommandError,
  type RedisDataValue,
  type RedisResult,
  RedisValue,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import { matchesGlob } from "../../../util/glob.js";
import { indexed } from "../collections/adopt.js";
import { MAX_UNINDEXED } from "../collections/indexed-map.js";
import { byScore } from "../collections/sorted-members.js";
import { formatJson } from "../json/value.js";
import { entriesOf, liveEntries, peek } from "../keyspace.js";
import { isLive, JSON_TYPE, partsOf, type StoredValue } from "../stored-value.js";
import {
  array,
  bulk,
  bulkValue,
  type CommandTable,
  command,
  integer,
  optionName,
  parseInt64,
  parseInteger,
  withDatabase,
} from "./define.js";
import { formatDouble, formatDoubleIn17Digits } from "./numbers.js";
import { unknownSubcommand } from "./server.js";

/** Rough bytes of a key, field, element or entry beside its own bytes. */
const ITEM_BYTES = 56;

const object = command("object subcommand [key] ...", "readonly", ([subcommand, key, ...rest], ctx) => {
  const name = optionName(subcommand);
  if (!["ENCODING", "FREQ", "IDLETIME", "REFCOUNT"].includes(name))
    throw unknownSubcommand("OBJECT", subcommand!);
  if (!key || rest.length > 0) throw new WrongNumberOfArgumentsError(`object|${name.toLowerCase()}`);
  const value = peek(ctx.db, key);
  if (!value) return bulk(null);
  if (name === "ENCODING") return bulk(encodingOf(value));
  if (name === "IDLETIME") {
    const { usedAt = Date.now() } = entriesOf(ctx.db).get(key.toString("hex"))!;
    return integer(Math.floor((Date.now() - usedAt) / 1000));
  }
  if (name === "REFCOUNT") return integer(isShared(value) ? MAX_INT32 : 1);
  throw new RedisCommandError(
    "An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.",
  );
});

const MAX_INT32 = 2 ** 31 - 1;

/** Whether Redis stores the value once for all keys: integers from 0 to 9,999. */
function isShared(value: StoredValue): boolean {
  return value.type === "string" && /^(0|[1-9]\d{0,3})$/.test(value.value.toString("latin1"));
}

const MAX_PACKED_BYTES = 64;
const MAX_PACKED_LIST_BYTES = 8 * 1024;

function every(parts: Iterable<Buffer>, test: (part: Buffer) => boolean): boolean {
  for (const part of parts) if (!test(part)) return false;
  return true;
}

/** The encoding that Redis 7.4 with its default settings gives to a value that is built anew. */
function encodingOf(value: StoredValue): string {
  switch (value.type) {
    case "string":
      return isInteger(value.value) ? "int" : value.value.length <= 44 ? "embstr" : "raw";
    case "list":
      return isPackedList(value) ? "listpack" : "quicklist";
    case "set":
      if (value.members.size <= 512 && every(partsOf(value), isInteger)) return "intset";
      return isPacked(value, value.members.size) ? "listpack" : "hashtable";
    case "hash":
      if (!isPacked(value, value.fields.size)) return "hashtable";
      return [...value.fields.values()].some(({ expiresAt }) => expiresAt !== undefined)
        ? "listpackex"
        : "listpack";
    case "zset":
      return isPacked(value, value.members.size) ? "listpack" : "skiplist";
    default:
      return value.type === "stream" ? "stream" : "raw";
  }
}

function isPackedList(value: StoredValue): boolean {
  let left = MAX_PACKED_LIST_BYTES;
  return every(partsOf(value), (item) => {
    left -= item.length + 11;
    return left >= 0;
  });
}

function isPacked(value: StoredValue, count: number): boolean {
  return count <= MAX_UNINDEXED && every(partsOf(value), (item) => item.length <= MAX_PACKED_BYTES);
}

function isInteger(bytes: Buffer): boolean {
  return bytes.length <= 20 && parseInt64(bytes.toString("latin1")) !== undefined;
}

const memory = command("memory subcommand [key] ...", "readonly", ([subcommand, key, ...options], ctx) => {
  if (optionName(subcommand) !== "USAGE") throw unknownSubcommand("MEMORY", subcommand!);
  if (!key) throw new WrongNumberOfArgumentsError("memory|usage");
  // All items are counted, so that a number of samples changes nothing.
  for (let at = 0; at < options.length; at += 2) {
    const samples = options[at + 1];
    if (optionName(options[at]) !== "SAMPLES" || !samples || parseInteger(samples) < 0)
      throw new RedisCommandError("syntax error");
  }
  const value = peek(ctx.db, key);
  return value ? integer(key.length + ITEM_BYTES + sizeOf(value)) : bulk(null);
});

/** An estimate: the bytes of all parts, and {@link ITEM_BYTES} for each. */
function sizeOf(value: StoredValue): number {
  if (value.type === "string") return value.value.length;
  if (value.type === JSON_TYPE) return Buffer.byteLength(formatJson(value.root));
  const groups = value.type === "stream" ? value.groups.size : 0;
  let size = groups * ITEM_BYTES;
  for (const part of partsOf(value)) size += part.length + ITEM_BYTES;
  return size;
}

/** HEXPIRETIME or HPEXPIRETIME: -2 where there is no field, -1 where it does not expire. */
const fieldExpireTime = (name: string, unit: number) =>
  command(
    `${name} key FIELDS count field ...`,
    "readonly fast",
    ([key, fieldsArg, countArg, ...fields], ctx) => {
      if (optionName(fieldsArg) !== "FIELDS")
        throw new RedisCommandError("Mandatory argument FIELDS is missing or not at the right position");
      const count = parseInteger(countArg!);
      if (count < 1) throw new RedisCommandError("Number of fields must be a positive integer");
      if (count !== fields.length)
        throw new RedisCommandError("The `numfields` parameter must match the number of arguments");
      const hash = ctx.db.getHash(key!);
      const now = Date.now();
      return array(
        fields.map((field) => {
          const found = hash?.fields.get(field.toString("hex"));
          if (!found || !isLive(found, now)) return RedisValue.integer(-2);
          if (found.expiresAt === undefined) return RedisValue.integer(-1);
          return RedisValue.integer(Math.ceil(found.expiresAt / unit));
        }),
      );
    },
  );

interface ScanArguments {
  readonly key: Buffer;
  readonly cursor: bigint;
  readonly match?: Buffer;
  readonly count?: number;
  readonly type?: string;
  readonly noValues?: boolean;
}

const DEFAULT_SCAN_COUNT = 10;

/** The items whose bytes match a pattern, if there is one. */
function matching<T>(
  items: readonly T[],
  bytesOf: (item: T) => Buffer,
  pattern: Buffer | undefined,
): readonly T[] {
  return pattern ? items.filter((item) => matchesGlob(pattern, bytesOf(item))) : items;
}

/** Small collections come whole and in their own order, as Redis returns them, others in pages. */
function pageOf<T>(
  map: ReadonlyMap<string, T> | undefined,
  { cursor, count = DEFAULT_SCAN_COUNT }: ScanArguments,
): { items: T[]; next: bigint } {
  const items = indexed(map);
  const isSmall = items.size <= MAX_UNINDEXED;
  if (isSmall && cursor === 0n) return { items: [...items.values()], next: 0n };
  return items.page(cursor, isSmall ? items.size : count);
}

function scanReply(next: bigint, items: readonly (Buffer | string)[]): RedisResult {
  return array([bulkValue(String(next)), RedisValue.array(items.map(bulkValue))]);
}

function copyOf(value: StoredValue | null): RedisDataValue | null {
  if (value?.type !== JSON_TYPE) return value && cloneRedisDataValue(value);
  // The library's type lacks our own.
  return { ...value, root: structuredClone(value.root) } as unknown as RedisDataValue;
}

/** Replaces commands that walk the keyspace, and adds those that read one value as a whole. */
export function addKeyCommands(table: CommandTable): void {
  table.add(object, memory, fieldExpireTime("hexpiretime", 1000), fieldExpireTime("hpexpiretime", 1));
  table.override<{ pattern: Buffer }>("keys", ({ pattern }, ctx) => {
    const found = matching([...liveEntries(ctx.db)], ({ key }) => key, pattern);
    return array(found.map(({ key }) => bulkValue(key)));
  });
  table.override("copy", (args, ctx, run) =>
    run(args, withDatabase(ctx, { get: (key) => copyOf(ctx.db.get(key)) })),
  );
  // Removes watched keys that have expired, so that EXEC fails. A key that expired before WATCH was gone already.
  table.override<{ keys: Buffer[] }>("watch", (args, ctx, run) => {
    for (const key of args.keys) peek(ctx.db, key);
    return run(args);
  });
  table.override("exec", (args, { server, session }, run) => {
    // biome-ignore lint/complexity/useLiteralKeys: brackets give typed access to a private member.
    const watches = (session as ClientSession)["watches"].values();
    for (const { database, key } of watches) peek(server.getDatabase(database), key);
    return run(args);
  });
  table.override<{ keys: Buffer[] }>("touch", ({ keys }, ctx) =>
    integer(keys.filter((key) => ctx.db.get(key) !== null).length),
  );
  table.override<ScanArguments>("scan", ({ cursor, match, count = DEFAULT_SCAN_COUNT, type }, ctx) => {
    const { items, next } = entriesOf(ctx.db).page(cursor, count);
    const now = Date.now();
    const ofType = items.filter(
      (entry) => isLive(entry, now) && (type === undefined || entry.value.type.toLowerCase() === type),
    );
    const keys = ofType.map(({ key }) => key);
    return scanReply(
      next,
      matching(keys, (key) => key, match),
    );
  });
  table.override<ScanArguments>("hscan", (args, ctx) => {
    const { items, next } = pageOf(ctx.db.getHash(args.key)?.fields, args);
    const now = Date.now();
    const live = items.filter((field) => isLive(field, now));
    const found = matching(live, ({ field }) => field, args.match);
    const parts = found.flatMap(({ field, value }) => (args.noValues ? [field] : [field, value]));
    return scanReply(next, parts);
  });
  table.override<ScanArguments>("sscan", (args, ctx) => {
    const { items, next } = pageOf(ctx.db.getSet(args.key)?.members, args);
    const found = matching(items, (member) => member, args.match);
    return scanReply(next, found);
  });
  table.override<ScanArguments>("zscan", (args, ctx) => {
    const zset = ctx.db.getSortedSet(args.key);
    const { items, next } = pageOf(zset?.members, args);
    const found = matching(items.toSorted(byScore), ({ member }) => member, args.match);
    const format = zset && encodingOf(zset) === "skiplist" ? formatDoubleIn17Digits : formatDouble;
    const parts = found.flatMap(({ member, score }) => [member, format(score)]);
    return scanReply(next, parts);
  });
}
