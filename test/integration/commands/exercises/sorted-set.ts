import { expect } from "vitest";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { SortedSetCommands } from "../../../../src/commands/sorted-set.js";
import type { Redis } from "../../../../src/index.js";
import { type Exercises, on } from "./exercise.js";

/** a 1, b 2, c 3 in `z`; b 10, d 20 in `y`. */
async function fill(redis: Redis): Promise<void> {
  await redis.zadd("z", { score: 1, member: "a" }, { score: 2, member: "b" }, { score: 3, member: "c" });
  await redis.zadd("y", { score: 10, member: "b" }, { score: 20, member: "d" });
}

/** An exercise on the two sets of {@link fill}. */
const filled = (run: (redis: Redis) => Promise<void>, ...lackedBy: Parameters<typeof on>[1][]) =>
  on(
    async (redis) => {
      await fill(redis);
      await run(redis);
    },
    ...lackedBy,
  );

export const sortedSetExercises: Exercises<SortedSetCommands<Immediate>> = {
  bzmpop: filled(async (redis) => {
    expect(await redis.bzmpop(1, 2, ["none", "z"], "MAX", 2)).toEqual([
      "z",
      [
        ["c", 3],
        ["b", 2],
      ],
    ]);
    expect(await redis.bzmpop(0.05, 1, ["none"], "MIN")).toBeNull();
  }),
  bzpopmax: filled(async (redis) => {
    expect(await redis.bzpopmax(["none", "z"], 1)).toEqual(["z", "c", 3]);
    expect(await redis.bzpopmax("none", 0.05)).toBeNull();
  }),
  bzpopmin: filled(async (redis) => {
    expect(await redis.bzpopmin("z", 1)).toEqual(["z", "a", 1]);
  }),
  zadd: on(async (redis) => {
    expect(await redis.zadd<unknown>("z", { score: 1, member: "a" }, { score: 2, member: { b: 1 } })).toBe(2);
    expect(await redis.zadd("z", { ch: true, gt: true }, { score: 5, member: "a" })).toBe(1);
    expect(await redis.zadd("z", { nx: true }, { score: 9, member: "a" })).toBe(0);
    expect(await redis.zadd("z", { incr: true }, { score: 1.5, member: "a" })).toBe(6.5);
    expect(await redis.zadd("z", { incr: true, nx: true }, { score: 1, member: "a" })).toBeNull();
    expect(await redis.zadd("z", { score: Number.POSITIVE_INFINITY, member: "i" })).toBe(1);
    expect(await redis.zscore("z", "i")).toBe(Number.POSITIVE_INFINITY);
  }),
  zcard: filled(async (redis) => {
    expect(await redis.zcard("z")).toBe(3);
  }),
  zcount: filled(async (redis) => {
    expect(await redis.zcount("z", "(1", "+inf")).toBe(2);
    expect(await redis.zcount("z", 1, 2)).toBe(2);
  }),
  zdiff: filled(async (redis) => {
    expect(await redis.zdiff(2, ["z", "y"])).toEqual(["a", "c"]);
    expect(await redis.zdiff(2, ["z", "y"], { withScores: true })).toEqual(["a", 1, "c", 3]);
  }),
  zdiffstore: filled(async (redis) => {
    expect(await redis.zdiffstore("d", 2, "z", "y")).toBe(2);
  }),
  zincrby: filled(async (redis) => {
    expect(await redis.zincrby("z", 0.5, "a")).toBe(1.5);
  }),
  zinter: filled(async (redis) => {
    expect(await redis.zinter(2, ["z", "y"])).toEqual(["b"]);
    expect(
      await redis.zinter(2, ["z", "y"], { weights: [2, 1], aggregate: "max", withScores: true }),
    ).toEqual(["b", 10]);
  }),
  zintercard: filled(async (redis) => {
    expect(await redis.zintercard(["z", "y"])).toBe(1);
    expect(await redis.zintercard(["z", "z"], { limit: 2 })).toBe(2);
  }),
  zinterstore: filled(async (redis) => {
    expect(await redis.zinterstore("d", 2, ["z", "y"], { aggregate: "sum" })).toBe(1);
    expect(await redis.zscore("d", "b")).toBe(12);
    expect(await redis.zinterstore("d", 1, "z", { weight: 2 })).toBe(3);
    expect(await redis.zscore("d", "b")).toBe(4);
  }),
  zlexcount: on(async (redis) => {
    await redis.zadd("z", { score: 0, member: "a" }, { score: 0, member: "b" });
    expect(await redis.zlexcount("z", "-", "(b")).toBe(1);
  }),
  zmpop: filled(async (redis) => {
    expect(await redis.zmpop(2, ["none", "z"], "MIN")).toEqual(["z", [["a", 1]]]);
    expect(await redis.zmpop(1, ["none"], "MAX", 2)).toBeNull();
  }),
  zmscore: filled(async (redis) => {
    expect(await redis.zmscore("z", ["a", "none", "c"])).toEqual([1, null, 3]);
  }),
  zpopmax: filled(async (redis) => {
    expect(await redis.zpopmax("z")).toEqual(["c", 3]);
    expect(await redis.zpopmax("z", 5)).toEqual(["b", 2, "a", 1]);
    expect(await redis.zpopmax("z")).toEqual([]);
  }),
  zpopmin: filled(async (redis) => {
    expect(await redis.zpopmin("z", 2)).toEqual(["a", 1, "b", 2]);
  }),
  zrandmember: on(async (redis) => {
    await redis.zadd("z", { score: 1.5, member: 7 });
    expect(await redis.zrandmember("z")).toBe(7);
    expect(await redis.zrandmember("z", -2)).toEqual([7, 7]);
    expect(await redis.zrandmember("z", 1, true)).toEqual([7, 1.5]);
    expect(await redis.zrandmember("none")).toBeNull();
  }),
  zrange: filled(async (redis) => {
    expect(await redis.zrange("z", 0, -1)).toEqual(["a", "b", "c"]);
    expect(await redis.zrange("z", 0, 0, { withScores: true, rev: true })).toEqual(["c", 3]);
    expect(await redis.zrange("z", "(1", "+inf", { byScore: true, offset: 1, count: 5 })).toEqual(["c"]);
    expect(await redis.zrange("z", "[b", "+", { byLex: true })).toEqual(["b", "c"]);
    expect(await redis.zrange("none", 0, -1)).toEqual([]);
  }),
  zrangebylex: filled(async (redis) => {
    expect(await redis.zrangebylex("z", "-", "+", { offset: 1, count: 1 })).toEqual(["b"]);
  }),
  zrangebyscore: filled(async (redis) => {
    expect(await redis.zrangebyscore("z", 2, "+inf", { withScores: true })).toEqual(["b", 2, "c", 3]);
    expect(await redis.zrangebyscore("z", "(2", 3)).toEqual(["c"]);
  }),
  zrangestore: filled(async (redis) => {
    expect(await redis.zrangestore("d", "z", 0, 1)).toBe(2);
    expect(await redis.zrange("d", 0, -1)).toEqual(["a", "b"]);
    expect(await redis.zrangestore("d", "z", 3, 3, { byScore: true })).toBe(1);
  }),
  zrank: filled(async (redis) => {
    expect(await redis.zrank("z", "c")).toBe(2);
    expect(await redis.zrank("z", "none")).toBeNull();
  }),
  zrem: filled(async (redis) => {
    expect(await redis.zrem("z", "a", "b", "none")).toBe(2);
  }),
  zremrangebylex: filled(async (redis) => {
    expect(await redis.zremrangebylex("z", "[a", "(c")).toBe(2);
  }),
  zremrangebyrank: filled(async (redis) => {
    expect(await redis.zremrangebyrank("z", 0, -2)).toBe(2);
  }),
  zremrangebyscore: filled(async (redis) => {
    expect(await redis.zremrangebyscore("z", "-inf", "(3")).toBe(2);
  }),
  zrevrange: filled(async (redis) => {
    expect(await redis.zrevrange("z", 0, 1, { withScores: true })).toEqual(["c", 3, "b", 2]);
  }),
  zrevrangebylex: filled(async (redis) => {
    expect(await redis.zrevrangebylex("z", "+", "(a")).toEqual(["c", "b"]);
  }),
  zrevrangebyscore: filled(async (redis) => {
    expect(await redis.zrevrangebyscore("z", 3, 1, { offset: 1, count: 1 })).toEqual(["b"]);
  }),
  zrevrank: filled(async (redis) => {
    expect(await redis.zrevrank("z", "c")).toBe(0);
  }),
  zscan: filled(async (redis) => {
    expect(await redis.zscan("z", 0)).toEqual(["0", ["a", 1, "b", 2, "c", 3]]);
  }),
  zscore: filled(async (redis) => {
    expect(await redis.zscore("z", "b")).toBe(2);
    expect(await redis.zscore("z", "none")).toBeNull();
  }),
  zunion: filled(async (redis) => {
    expect(await redis.zunion(2, ["z", "y"])).toEqual(["a", "c", "b", "d"]);
    expect(await redis.zunion(1, "z", { weight: 10, withScores: true })).toEqual(["a", 10, "b", 20, "c", 30]);
  }),
  zunionstore: filled(async (redis) => {
    expect(await redis.zunionstore("d", 2, ["z", "y"], { weights: [1, 0], aggregate: "min" })).toBe(4);
    expect(await redis.zrange("d", 0, -1, { withScores: true })).toEqual(["b", 0, "d", 0, "a", 1, "c", 3]);
  }),
};
