import { RedisCommandError, type RedisDatabase, RedisResult, RedisValue } from "js-redis-server/core";
import type { Member, SortedMembers } from "../collections/sorted-members.js";
import { dropEntry } from "../keyspace.js";
import {
  array,
  bulk,
  bulkValue,
  type CommandTable,
  type Context,
  integer,
  parseInteger,
  withDatabase,
} from "./define.js";
import { parseFloatText } from "./floats.js";

// The library sorts all members for each command that needs an order. These commands find the places of a range in the order.

/** A range of places, from the first one up to, but without, the second. */
type Places = readonly [from: number, to: number];

interface Limit {
  readonly offset: number;
  readonly count: number;
}

function membersAt(database: RedisDatabase, key: Buffer): SortedMembers | undefined {
  return database.getSortedSet(key)?.members as SortedMembers | undefined;
}

const id = (bytes: Buffer) => bytes.toString("hex");

function placeOf(members: SortedMembers, { score, member }: Member): number {
  return members.order.countWhile(
    (other) => other.score < score || (other.score === score && Buffer.compare(other.member, member) < 0),
  );
}

/** The places that a range of ranks means; negative ranks count from the end. */
function ranks(first: number, last: number, size: number): Places {
  const from = first < 0 ? Math.max(0, size + first) : first;
  const to = last < 0 ? size + last : Math.min(last, size - 1);
  return [from, to + 1];
}

/** Returns places counted from the other end. */
const mirrored = ([from, to]: Places, size: number): Places => [size - to, size - from];

/** A bound of scores or members: how many members at the beginning are below it. */
type Bound = (members: SortedMembers) => number;

/** @param isEnd whether the bound is the end of a range, which members that equal it are below of */
function scoreBound(text: string, isEnd: boolean): Bound {
  const isExclusive = text.startsWith("(");
  const digits = isExclusive ? text.slice(1) : text;
  // To Redis no digits are 0 here.
  const bound = digits === "" ? 0 : parseFloatText(digits);
  if (bound === undefined) throw new RedisCommandError("min or max is not a float");
  const includesEqual = isEnd !== isExclusive;
  return ({ order }) => order.countWhile(({ score }) => (includesEqual ? score <= bound : score < bound));
}

function memberBound(bytes: Buffer, isEnd: boolean): Bound {
  const kind = bytes.toString("latin1", 0, 1);
  if (bytes.length === 1 && kind === "-") return () => 0;
  if (bytes.length === 1 && kind === "+") return ({ size }) => size;
  if (kind !== "[" && kind !== "(") throw new RedisCommandError("min or max not valid string range item");
  const value = bytes.subarray(1);
  const includesEqual = isEnd !== (kind === "(");
  return ({ order }) =>
    order.countWhile(({ member }) => {
      const compared = Buffer.compare(member, value);
      return includesEqual ? compared <= 0 : compared < 0;
    });
}

/** Both bounds of a range; given as text or as bytes. */
function bounds(isByScore: boolean, min: Buffer | string, max: Buffer | string): [Bound, Bound] {
  const [low, high] = [Buffer.from(min), Buffer.from(max)] as [Buffer, Buffer];
  return isByScore
    ? [scoreBound(low.toString("latin1"), false), scoreBound(high.toString("latin1"), true)]
    : [memberBound(low, false), memberBound(high, true)];
}

function placesBetween(members: SortedMembers, [low, high]: [Bound, Bound]): Places {
  return [low(members), high(members)];
}

/** The members of a range in their order or in the reverse one, as limited. */
function select(members: SortedMembers, places: Places, isReverse: boolean, limit?: Limit): Member[] {
  let [from, to] = places;
  if (limit) {
    if (limit.offset < 0) return [];
    const count = limit.count < 0 ? Number.POSITIVE_INFINITY : limit.count;
    if (isReverse) [from, to] = [Math.max(from, to - limit.offset - count), to - limit.offset];
    else [from, to] = [from + limit.offset, Math.min(to, from + limit.offset + count)];
  }
  if (from >= to) return [];
  const found = members.order.slice(from, to);
  return isReverse ? found.reverse() : found;
}

function reply(found: readonly Member[], withScores: boolean): RedisResult {
  if (!withScores) return array(found.map(({ member }) => bulkValue(member)));
  const pairs = found.map(
    (item) => [bulkValue(item.member), RedisValue.double(item.score)] as [RedisValue, RedisValue],
  );
  return RedisResult.create(RedisValue.flatPairs(pairs));
}

/** The first members of a sorted set, or the last ones in the reverse order. */
function firstOf(database: RedisDatabase, key: Buffer, isReverse: boolean, count: number): Member[] {
  const members = membersAt(database, key);
  return members ? select(members, [0, members.size], isReverse, { offset: 0, count }) : [];
}

/** Removes members, and their key with the last one. */
function remove(database: RedisDatabase, key: Buffer, found: readonly Member[]): void {
  if (found.length === 0) return;
  database.updateSortedSet(key, (zset) => {
    for (const { member } of found) zset.deleteMember(member);
  });
}

interface RangeArguments {
  readonly key: Buffer;
  readonly min: Buffer;
  readonly max: Buffer;
  readonly by: "index" | "score" | "lex";
  readonly rev: boolean;
  readonly limit?: Limit;
  readonly withScores?: boolean;
}

/** The members that ZRANGE or ZRANGESTORE selects. */
function selected(args: RangeArguments, ctx: Context): Member[] {
  const { key, min, max, by, rev, limit } = args;
  if (by === "index") {
    const [first, last] = [parseInteger(min), parseInteger(max)];
    const members = membersAt(ctx.db, key);
    if (!members) return [];
    const places = ranks(first, last, members.size);
    return select(members, rev ? mirrored(places, members.size) : places, rev);
  }
  const range = rev ? bounds(by === "score", max, min) : bounds(by === "score", min, max);
  const members = membersAt(ctx.db, key);
  return members ? select(members, placesBetween(members, range), rev, limit) : [];
}

type Between = { key: Buffer; min: Buffer | string; max: Buffer | string };
type Ranks = { key: Buffer; start: number; stop: number };

/** Replaces the commands that read, count or remove a range of a sorted set, or its first or last members. */
export function addRangeCommands(table: CommandTable): void {
  const rank = (name: string, isReverse: boolean) =>
    table.override<{ key: Buffer; member: Buffer; withScore: boolean }>(name, (args, ctx) => {
      const members = membersAt(ctx.db, args.key);
      const found = members?.get(id(args.member));
      if (!members || !found) return args.withScore ? RedisResult.create(RedisValue.nullArray()) : bulk(null);
      const place = placeOf(members, found);
      const value = isReverse ? members.size - 1 - place : place;
      if (!args.withScore) return integer(value);
      return array([RedisValue.integer(value), RedisValue.double(found.score)]);
    });
  rank("zrank", false);
  rank("zrevrank", true);

  type BoundedArguments = { key: Buffer; first: Buffer; second: Buffer; withScores?: boolean; limit?: Limit };
  const range = (name: string, isByScore: boolean, isReverse: boolean) =>
    table.override<BoundedArguments>(name, ({ key, first, second, withScores, limit }, ctx) => {
      const between = isReverse ? bounds(isByScore, second, first) : bounds(isByScore, first, second);
      const members = membersAt(ctx.db, key);
      if (!members) return array([]);
      return reply(select(members, placesBetween(members, between), isReverse, limit), withScores === true);
    });
  range("zrangebyscore", true, false);
  range("zrevrangebyscore", true, true);
  range("zrangebylex", false, false);
  range("zrevrangebylex", false, true);

  const count = (name: string, isByScore: boolean) =>
    table.override<Between>(name, ({ key, min, max }, ctx) => {
      const between = bounds(isByScore, min, max);
      const members = membersAt(ctx.db, key);
      if (!members) return integer(0);
      const [from, to] = placesBetween(members, between);
      return integer(Math.max(0, to - from));
    });
  count("zcount", true);
  count("zlexcount", false);

  const removeBetween = (name: string, isByScore: boolean) =>
    table.override<Between>(name, ({ key, min, max }, ctx) => {
      const between = bounds(isByScore, min, max);
      const members = membersAt(ctx.db, key);
      const found = members ? select(members, placesBetween(members, between), false) : [];
      remove(ctx.db, key, found);
      return integer(found.length);
    });
  removeBetween("zremrangebyscore", true);
  removeBetween("zremrangebylex", false);
  table.override<Ranks>("zremrangebyrank", ({ key, start, stop }, ctx) => {
    const members = membersAt(ctx.db, key);
    const found = members ? select(members, ranks(start, stop, members.size), false) : [];
    remove(ctx.db, key, found);
    return integer(found.length);
  });

  const popCommand = (name: string, isReverse: boolean) =>
    table.override<{ key: Buffer; count?: number }>(name, ({ key, count: size }, ctx) => {
      const found = firstOf(ctx.db, key, isReverse, size ?? 1);
      remove(ctx.db, key, found);
      const [only] = found;
      if (!only || size !== undefined) return reply(found, true);
      return array([bulkValue(only.member), RedisValue.double(only.score)]);
    });
  popCommand("zpopmin", false);
  popCommand("zpopmax", true);

  /** Commands of the library that sort all members. They get only those that they may pop. */
  const popOfMany = (names: string, usual: "min" | "max") =>
    table.override<{ side?: "min" | "max"; count?: number }>(names, (args, ctx, run) => {
      const { side = usual, count: size = 1 } = args;
      const getSortedSet: RedisDatabase["getSortedSet"] = (key) => {
        if (!membersAt(ctx.db, key)) return null;
        const found = firstOf(ctx.db, key, side === "max", size);
        return { type: "zset", members: new Map(found.map((item) => [id(item.member), item])) };
      };
      return run(args, withDatabase(ctx, { getSortedSet }));
    });
  popOfMany("zmpop bzmpop bzpopmin", "min");
  popOfMany("bzpopmax", "max");

  table.override<RangeArguments>("zrange", (args, ctx) =>
    reply(selected(args, ctx), args.withScores === true),
  );
  table.override<RangeArguments & { destination: Buffer }>("zrangestore", (args, ctx) => {
    const found = selected(args, ctx);
    if (found.length === 0) ctx.db.delete(args.destination);
    else dropEntry(ctx.db, args.destination);
    ctx.db.updateSortedSet(args.destination, (zset) => {
      for (const { member, score } of found) zset.setScore(member, score);
    });
    return integer(found.length);
  });
  table.override<Ranks & { withScores?: unknown }>("zrevrange", (args, ctx) => {
    const members = membersAt(ctx.db, args.key);
    if (!members) return array([]);
    const places = mirrored(ranks(args.start, args.stop, members.size), members.size);
    return reply(select(members, places, true), args.withScores !== undefined);
  });
}
