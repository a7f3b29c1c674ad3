import {
  RedisCommandError,
  type RedisDatabase,
  type RedisResult,
  WrongTypeRedisError,
} from "js-redis-server/core";
import { EMPTY, STAR } from "../../../util/bytes.js";
import { checkReplyLength } from "../guards.js";
import { dropEntry, peek } from "../keyspace.js";
import type { EmbeddedLimits } from "../limits.js";
import { isLive, partsOf } from "../stored-value.js";
import { array, bulkValue, type CommandTable, type Context, integer } from "./define.js";
import { parseFloatArgument } from "./numbers.js";

interface SortArguments {
  readonly key: Buffer;
  readonly desc: boolean;
  readonly alpha: boolean;
  readonly limit?: { readonly offset: number; readonly count: number };
  readonly by?: Buffer;
  readonly get: readonly Buffer[];
  readonly store?: Buffer;
}

/** The value that a pattern selects for an element: a string, or with `->` a field of a hash. Undefined if it does not exist. */
function lookUp(database: RedisDatabase, pattern: Buffer, element: Buffer): Buffer | undefined {
  if (pattern.equals(Buffer.from("#"))) return element;
  const star = pattern.indexOf(STAR);
  if (star === -1) return undefined;
  const arrow = pattern.indexOf("->", star);
  const hasField = arrow !== -1 && arrow + 2 < pattern.length;
  const end = hasField ? arrow : pattern.length;
  const key = Buffer.concat([pattern.subarray(0, star), element, pattern.subarray(star + 1, end)]);
  const value = peek(database, key);
  if (!hasField) return value?.type === "string" ? value.value : undefined;
  if (value?.type !== "hash") return undefined;
  const field = value.fields.get(pattern.toString("hex", arrow + 2));
  return field && isLive(field, Date.now()) ? field.value : undefined;
}

/** The elements of a list, a set or a sorted set, in the order in which Redis has them. */
function elementsAt(database: RedisDatabase, key: Buffer): Buffer[] {
  const value = peek(database, key);
  if (value && !["list", "set", "zset"].includes(value.type)) throw new WrongTypeRedisError();
  return value ? [...partsOf(value)] : [];
}

function numberOf(bytes: Buffer | undefined): number {
  const text = bytes?.toString("latin1").replace(/^[\t-\r ]+/, "") ?? "";
  const value = text === "" ? 0 : parseFloatArgument(text);
  if (value === undefined) throw new RedisCommandError("One or more scores can't be converted into double");
  return value;
}

interface Weighted<W> {
  readonly element: Buffer;
  readonly weight: W;
}

/** Compares numbers, then the elements' bytes. */
function compareNumbers(a: Weighted<number>, b: Weighted<number>): number {
  if (a.weight === b.weight) return Buffer.compare(a.element, b.element);
  return a.weight < b.weight ? -1 : 1;
}

/** Compares bytes. Elements without a weight come first, in their own order. */
function compareBytes(a: Weighted<Buffer | undefined>, b: Weighted<Buffer | undefined>): number {
  if (a.weight && b.weight) return Buffer.compare(a.weight, b.weight);
  return Number(a.weight !== undefined) - Number(b.weight !== undefined);
}

/** Sorts elements by their weights. Elements of equal weight keep their order, also with `isReverse`. */
function sortBy<W>(
  elements: readonly Buffer[],
  weightOf: (element: Buffer) => W,
  compare: (a: Weighted<W>, b: Weighted<W>) => number,
  isReverse: boolean,
): Buffer[] {
  const sign = isReverse ? -1 : 1;
  return elements
    .map((element) => ({ element, weight: weightOf(element) }))
    .sort((a, b) => sign * compare(a, b))
    .map(({ element }) => element);
}

function sorted(args: SortArguments, ctx: Context): Buffer[] {
  const elements = elementsAt(ctx.db, args.key);
  const { by, store, desc } = args;
  const type = peek(ctx.db, args.key)?.type;
  const isUnsorted = by !== undefined && by.indexOf(STAR) === -1;
  // A set has no order, and a result that is stored must not depend on chance.
  const isForced = isUnsorted && type === "set" && (store !== undefined || ctx.monitor?.defer === true);
  if (isUnsorted && !isForced) return type !== "set" && desc ? elements.reverse() : elements;
  const weightOf = (element: Buffer) => (by && !isForced ? lookUp(ctx.db, by, element) : element);
  return args.alpha || isForced
    ? sortBy(elements, weightOf, compareBytes, desc)
    : sortBy(elements, (element) => numberOf(weightOf(element)), compareNumbers, desc);
}

function sort(args: SortArguments, ctx: Context, limits: EmbeddedLimits): RedisResult {
  const all = sorted(args, ctx);
  const { offset = 0, count = -1 } = args.limit ?? {};
  const start = Math.max(0, offset);
  const elements = count < 0 ? all.slice(start) : all.slice(start, start + count);
  const output =
    args.get.length === 0
      ? elements
      : elements.flatMap((element) => args.get.map((pattern) => lookUp(ctx.db, pattern, element)));
  const length = output.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  // Without GET no value is repeated.
  if (args.get.length > 0) checkReplyLength(length, limits);
  const { store } = args;
  if (!store) {
    // Copies, since later commands of the same transaction may change a string in place.
    return array(output.map((value) => bulkValue(value ? Buffer.from(value) : null)));
  }
  if (output.length === 0) ctx.db.delete(store);
  else {
    dropEntry(ctx.db, store);
    ctx.db.updateList(store, (list) => list.pushRight(output.map((value) => Buffer.from(value ?? EMPTY))));
  }
  return integer(output.length);
}

/** Replaces SORT, whose patterns in the library reach no fields of hashes. */
export function addSortCommands(table: CommandTable, limits: EmbeddedLimits): void {
  table.override<SortArguments>("sort sort_ro", (args, ctx) => sort(args, ctx, limits));
}
