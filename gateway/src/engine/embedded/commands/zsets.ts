import {
  RedisCommandError,
  type RedisDatabase,
  RedisResult,
  RedisSyntaxError,
  RedisValue,
} from "js-redis-server/core";
import { sortedMembers } from "../collections/adopt.js";
import { byScore, type Member, type SortedMembers } from "../collections/sorted-members.js";
import { dropEntry } from "../keyspace.js";
import {
  array,
  bulk,
  bulkValue,
  type CommandTable,
  type Context,
  integer,
  optionName,
  parseInteger,
  withDatabase,
} from "./define.js";
import { formatDouble, parseFloatArgument, parseFloatText } from "./numbers.js";

// The library sorts all members for each command that needs an order. These commands find the places of a range in the order.

/** A range of places, from the first one up to, but without, the second. */
type Places = readonly [from: number, to: number];

interface Limit {
  readonly offset: number;
  readonly count: number;
}

/** Returns the members of the sorted set at a key. Empty if the key does not exist. */
function membersAt(database: RedisDatabase, key: Buffer): SortedMembers {
  return sortedMembers(database.getSortedSet(key));
}

const id = (bytes: Buffer) => bytes.toString("hex");

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

/** @param isEnd whether it is the end of a range: members that equal it then count as below it */
function scoreBound(bytes: Buffer, isEnd: boolean): Bound {
  const text = bytes.toString("latin1");
  const isExclusive = text.startsWith("(");
  const digits = isExclusive ? text.slice(1) : text;
  // Redis reads a bound without digits as 0.
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

/** The part of a sorted set that a command selects. */
interface Range {
  readonly key: Buffer;
  /** Both ends, in the order of the command: with `rev` the higher score or member comes first. */
  readonly min: Buffer | string;
  readonly max: Buffer | string;
  readonly by: "index" | "score" | "lex";
  readonly rev?: boolean;
  readonly limit?: Limit;
}

/** The members of a set, and the places of those in a range. */
function find({ key, min, max, by, rev }: Range, ctx: Context): { members: SortedMembers; places: Places } {
  const [first, last] = [Buffer.from(min), Buffer.from(max)] as [Buffer, Buffer];
  if (by === "index") {
    const [from, to] = [parseInteger(first), parseInteger(last)];
    const members = membersAt(ctx.db, key);
    const places = ranks(from, to, members.size);
    return { members, places: rev ? mirrored(places, members.size) : places };
  }
  const boundOf = by === "score" ? scoreBound : memberBound;
  const [low, high] = [boundOf(rev ? last : first, false), boundOf(rev ? first : last, true)];
  const members = membersAt(ctx.db, key);
  return { members, places: [low(members), high(members)] };
}

/** The members at places, in their order or in the reverse one, as limited. */
function slice(members: SortedMembers, places: Places, isReverse?: boolean, limit?: Limit): Member[] {
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

function select(range: Range, ctx: Context): Member[] {
  const { members, places } = find(range, ctx);
  return slice(members, places, range.rev, range.limit);
}

function reply(found: readonly Member[], withScores?: boolean): RedisResult {
  if (!withScores) return array(found.map(({ member }) => bulkValue(member)));
  const pairs = found.map(
    (item) => [bulkValue(item.member), RedisValue.double(item.score)] as [RedisValue, RedisValue],
  );
  return RedisResult.create(RedisValue.flatPairs(pairs));
}

/** The first members of a sorted set, or the last ones in the reverse order. */
function firstOf(database: RedisDatabase, key: Buffer, isReverse: boolean, count: number): Member[] {
  const members = membersAt(database, key);
  return slice(members, [0, members.size], isReverse, { offset: 0, count });
}

/** Removes members, and their key with the last one. Replies with their number. */
function remove(database: RedisDatabase, key: Buffer, found: readonly Member[]): RedisResult {
  if (found.length > 0) {
    database.updateSortedSet(key, (zset) => {
      for (const { member } of found) zset.deleteMember(member);
    });
  }
  return integer(found.length);
}

const ZADD_OPTIONS = new Set(["NX", "XX", "GT", "LT", "CH", "INCR"]);

/** Writes the scores in the spelling that the library reads. */
function withPlainScores(args: readonly Buffer[]): readonly Buffer[] {
  let first = 1;
  while (ZADD_OPTIONS.has(optionName(args[first]))) first += 1;
  if (args.length > 2 && (args.length - first) % 2 !== 0) throw new RedisSyntaxError();
  return args.map((arg, at) => (at >= first && (at - first) % 2 === 0 ? plainScore(arg) : arg));
}

function plainScore(arg: Buffer): Buffer {
  const score = parseFloatArgument(arg.toString("latin1"));
  if (score === undefined) throw new RedisCommandError("value is not a valid float");
  // Makes 0 of -0.
  return Buffer.from(formatDouble(score + 0));
}

/** Replaces the commands that read, count or remove a range of a sorted set, and lets others take every spelling of a score. */
export function addSortedSetCommands(table: CommandTable): void {
  const rank = (name: string, isReverse: boolean) =>
    table.override<{ key: Buffer; member: Buffer; withScore: boolean }>(name, (args, ctx) => {
      const members = membersAt(ctx.db, args.key);
      const found = members.get(id(args.member));
      if (!found) return args.withScore ? RedisResult.create(RedisValue.nullArray()) : bulk(null);
      const place = members.order.countWhile((other) => byScore(other, found) < 0);
      const value = isReverse ? members.size - 1 - place : place;
      if (!args.withScore) return integer(value);
      return array([RedisValue.integer(value), RedisValue.double(found.score)]);
    });
  rank("zrank", false);
  rank("zrevrank", true);

  type Bounded = { key: Buffer; first: Buffer; second: Buffer; withScores?: boolean; limit?: Limit };
  const bounded = (name: string, by: Range["by"], rev: boolean) =>
    table.override<Bounded>(name, ({ key, first, second, withScores, limit }, ctx) =>
      reply(select({ key, min: first, max: second, by, rev, limit }, ctx), withScores),
    );
  bounded("zrangebyscore", "score", false);
  bounded("zrevrangebyscore", "score", true);
  bounded("zrangebylex", "lex", false);
  bounded("zrevrangebylex", "lex", true);

  type Between = Pick<Range, "key" | "min" | "max">;
  const between = (by: Range["by"], count: string, removal: string) => {
    table.override<Between>(count, (args, ctx) => {
      const [from, to] = find({ ...args, by }, ctx).places;
      return integer(Math.max(0, to - from));
    });
    table.override<Between>(removal, (args, ctx) => remove(ctx.db, args.key, select({ ...args, by }, ctx)));
  };
  between("score", "zcount", "zremrangebyscore");
  between("lex", "zlexcount", "zremrangebylex");

  type Ranks = { key: Buffer; start: number; stop: number; withScores?: unknown };
  const ranked = ({ key, start, stop }: Ranks, rev: boolean): Range => ({
    key,
    min: String(start),
    max: String(stop),
    by: "index",
    rev,
  });
  table.override<Ranks>("zremrangebyrank", (args, ctx) =>
    remove(ctx.db, args.key, select(ranked(args, false), ctx)),
  );
  table.override<Ranks>("zrevrange", (args, ctx) =>
    reply(select(ranked(args, true), ctx), args.withScores !== undefined),
  );

  table.override<Range & { withScores?: boolean }>("zrange", (args, ctx) =>
    reply(select(args, ctx), args.withScores),
  );
  table.override<Range & { destination: Buffer }>("zrangestore", (args, ctx) => {
    const found = select(args, ctx);
    if (found.length === 0) ctx.db.delete(args.destination);
    else dropEntry(ctx.db, args.destination);
    ctx.db.updateSortedSet(args.destination, (zset) => {
      for (const { member, score } of found) zset.setScore(member, score);
    });
    return integer(found.length);
  });

  const popCommand = (name: string, isReverse: boolean) =>
    table.override<{ key: Buffer; count?: number }>(name, ({ key, count }, ctx) => {
      const found = firstOf(ctx.db, key, isReverse, count ?? 1);
      remove(ctx.db, key, found);
      const [only] = found;
      if (!only || count !== undefined) return reply(found, true);
      return array([bulkValue(only.member), RedisValue.double(only.score)]);
    });
  popCommand("zpopmin", false);
  popCommand("zpopmax", true);

  /** Commands of the library that sort all members. They get only those that they may pop. */
  const popOfMany = (names: string, usual: "min" | "max") =>
    table.override<{ side?: "min" | "max"; count?: number }>(names, (args, ctx, run) => {
      const { side = usual, count = 1 } = args;
      const getSortedSet: RedisDatabase["getSortedSet"] = (key) => {
        const found = firstOf(ctx.db, key, side === "max", count);
        if (found.length === 0) return null;
        return { type: "zset", members: new Map(found.map((item) => [id(item.member), item])) };
      };
      return run(args, withDatabase(ctx, { getSortedSet }));
    });
  popOfMany("zmpop bzmpop bzpopmin", "min");
  popOfMany("bzpopmax", "max");

  table.rewrite("zadd", withPlainScores);
  table.rewrite("zincrby", (args) => (args[1] ? args.with(1, plainScore(args[1])) : args));
}
