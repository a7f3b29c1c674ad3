import { expect } from "vitest";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { SetCommands } from "../../../../src/commands/set.js";
import { type Exercises, nowhere, on } from "./exercise.js";

export const setExercises: Exercises<SetCommands<Immediate>> = {
  sadd: on(async (redis) => {
    expect(await redis.sadd<unknown>("s", 1, { a: 1 }, 1)).toBe(2);
  }),
  scard: on(async (redis) => {
    await redis.sadd("s", 1, 2);
    expect(await redis.scard("s")).toBe(2);
  }),
  sdiff: on(async (redis) => {
    await redis.sadd("a", 1, 2);
    await redis.sadd("b", 2);
    expect(await redis.sdiff("a", "b")).toEqual([1]);
  }),
  sdiffcard: nowhere,
  sdiffstore: on(async (redis) => {
    await redis.sadd("a", 1, 2);
    expect(await redis.sdiffstore("d", "a", "b")).toBe(2);
  }),
  sinter: on(async (redis) => {
    await redis.sadd("a", "x", "y");
    await redis.sadd("b", "y");
    expect(await redis.sinter("a", "b")).toEqual(["y"]);
    expect(await redis.sinter("a", "none")).toEqual([]);
  }),
  sintercard: on(async (redis) => {
    await redis.sadd("a", 1, 2, 3);
    await redis.sadd("b", 2, 3);
    expect(await redis.sintercard(["a", "b"])).toBe(2);
    expect(await redis.sintercard(["a", "b"], { limit: 1 })).toBe(1);
  }),
  sinterstore: on(async (redis) => {
    await redis.sadd("a", 1, 2);
    await redis.sadd("b", 2);
    expect(await redis.sinterstore("d", "a", "b")).toBe(1);
  }),
  sismember: on(async (redis) => {
    await redis.sadd("s", { a: 1 });
    expect(await redis.sismember("s", { a: 1 })).toBe(1);
    expect(await redis.sismember("s", "x")).toBe(0);
  }),
  smembers: on(async (redis) => {
    await redis.sadd("s", "007");
    expect(await redis.smembers("s")).toEqual(["007"]);
    expect(await redis.smembers("none")).toEqual([]);
  }),
  smismember: on(async (redis) => {
    await redis.sadd("s", 1, 3);
    expect(await redis.smismember("s", [1, 2, 3])).toEqual([1, 0, 1]);
  }),
  smove: on(async (redis) => {
    await redis.sadd("a", "x");
    expect(await redis.smove("a", "b", "x")).toBe(1);
    expect(await redis.smove("a", "b", "x")).toBe(0);
  }),
  spop: on(async (redis) => {
    await redis.sadd("s", 5);
    expect(await redis.spop("s")).toBe(5);
    expect(await redis.spop("s")).toBeNull();
    expect(await redis.spop("s", 2)).toEqual([]);
  }),
  srandmember: on(async (redis) => {
    await redis.sadd("s", "a");
    expect(await redis.srandmember("s")).toBe("a");
    expect(await redis.srandmember("s", -2)).toEqual(["a", "a"]);
    expect(await redis.srandmember("none")).toBeNull();
  }),
  srem: on(async (redis) => {
    await redis.sadd("s", 1, 2);
    expect(await redis.srem("s", 1, 2, 3)).toBe(2);
  }),
  sscan: on(async (redis) => {
    await redis.sadd("s", 1);
    expect(await redis.sscan("s", 0, { match: "*", count: 10 })).toEqual(["0", [1]]);
  }),
  sunion: on(async (redis) => {
    await redis.sadd("a", 1);
    expect(await redis.sunion("a", "b")).toEqual([1]);
  }),
  sunioncard: nowhere,
  sunionstore: on(async (redis) => {
    await redis.sadd("a", 1);
    await redis.sadd("b", 1, 2);
    expect(await redis.sunionstore("d", "a", "b")).toBe(2);
  }),
};
