import { expect } from "vitest";
import type { HashCommands } from "../../../../src/commands/hash.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import { type Exercises, on } from "./exercise.js";

const soon = () => Math.floor(Date.now() / 1000) + 1000;

// Redis has times to live of fields since 7.4, and the methods that take options since 8.0.
const withoutFieldTimes = "redis-7.0";

export const hashExercises: Exercises<HashCommands<Immediate>> = {
  hdel: on(async (redis) => {
    await redis.hset("h", { a: 1, b: 2 });
    expect(await redis.hdel("h", "a", "b", "c")).toBe(2);
    expect(await redis.exists("h")).toBe(0);
  }),
  hexists: on(async (redis) => {
    await redis.hset("h", { a: 1 });
    expect(await redis.hexists("h", "a")).toBe(1);
    expect(await redis.hexists("h", "b")).toBe(0);
  }),
  hexpire: on(async (redis) => {
    await redis.hset("h", { a: 1, b: 2 });
    expect(await redis.hexpire("h", ["a", "none"], 100)).toEqual([1, -2]);
    expect(await redis.hexpire("h", "a", 50, "GT")).toEqual([0]);
    expect(await redis.httl("h", ["a", "b"])).toEqual([expect.closeTo(100, -1), -1]);
  }, withoutFieldTimes),
  hexpireat: on(async (redis) => {
    await redis.hset("h", { a: 1 });
    const at = soon();
    expect(await redis.hexpireat("h", "a", at)).toEqual([1]);
    const [left] = await redis.httl("h", "a");
    expect(Math.abs(left! - 1000)).toBeLessThan(10);
    expect(await redis.hexpireat("h", "a", 1)).toEqual([2]);
  }, withoutFieldTimes),
  hexpiretime: on(async (redis) => {
    await redis.hset("h", { a: 1, b: 2 });
    await redis.hexpireat("h", "a", 4_000_000_000);
    expect(await redis.hexpiretime("h", ["a", "b", "none"])).toEqual([4_000_000_000, -1, -2]);
  }, "redis-7.0"),
  hget: on(async (redis) => {
    await redis.hset("h", { a: { x: [1] }, n: "1e5" });
    expect(await redis.hget("h", "a")).toEqual({ x: [1] });
    expect(await redis.hget("h", "n")).toBe("1e5");
    expect(await redis.hget("h", "none")).toBeNull();
  }),
  hgetall: on(async (redis) => {
    await redis.hset("h", { 1: "00", b: 2, c: null });
    expect(await redis.hgetall("h")).toEqual({ 1: "00", b: 2, c: null });
    expect(await redis.hgetall("none")).toBeNull();
  }),
  hgetdel: on(async (redis) => {
    await redis.hset("h", { a: 1, 2: "x", c: 3 });
    expect(await redis.hgetdel("h", "a", 2, "none")).toEqual({ a: 1, 2: "x", none: null });
    expect(await redis.hgetdel("h", "a")).toBeNull();
    expect(await redis.hkeys("h")).toEqual(["c"]);
  }, withoutFieldTimes),
  hgetex: on(async (redis) => {
    await redis.hset("h", { a: 1, b: [2] });
    expect(await redis.hgetex("h", { ex: 100 }, "a", "none")).toEqual({ a: 1, none: null });
    expect(await redis.httl("h", ["a", "b"])).toEqual([expect.closeTo(100, -1), -1]);
    expect(await redis.hgetex("h", { persist: true }, "a", "b")).toEqual({ a: 1, b: [2] });
    expect(await redis.httl("h", "a")).toEqual([-1]);
    expect(await redis.hgetex("h", {}, "none")).toBeNull();
  }, withoutFieldTimes),
  hincrby: on(async (redis) => {
    expect(await redis.hincrby("h", "n", 5)).toBe(5);
    expect(await redis.hincrby("h", "n", -6)).toBe(-1);
  }),
  hincrbyfloat: on(async (redis) => {
    expect(await redis.hincrbyfloat("h", "n", 0.5)).toBe(0.5);
  }),
  hkeys: on(async (redis) => {
    await redis.hset("h", { 1: 1, true: 2 });
    expect(await redis.hkeys("h")).toEqual(["1", "true"]);
  }),
  hlen: on(async (redis) => {
    await redis.hset("h", { a: 1, b: 2 });
    expect(await redis.hlen("h")).toBe(2);
  }),
  hmget: on(async (redis) => {
    await redis.hset("h", { a: 1, b: "007" });
    expect(await redis.hmget("h", "a", "none", "b")).toEqual({ a: 1, none: null, b: "007" });
    expect(await redis.hmget("h", "none")).toBeNull();
    await redis.hset("h", { empty: null });
    expect(await redis.hmget("h", "empty", "none")).toEqual({ empty: null, none: null });
  }),
  hmset: on(async (redis) => {
    expect(await redis.hmset("h", { a: 1 })).toBe("OK");
    expect(await redis.hgetall("h")).toEqual({ a: 1 });
  }),
  hpersist: on(async (redis) => {
    await redis.hset("h", { a: 1, b: 2 });
    await redis.hexpire("h", "a", 100);
    expect(await redis.hpersist("h", ["a", "b", "c"])).toEqual([1, -1, -2]);
  }, withoutFieldTimes),
  hpexpire: on(async (redis) => {
    await redis.hset("h", { a: 1 });
    expect(await redis.hpexpire("h", "a", 100_000, "NX")).toEqual([1]);
    expect(await redis.httl("h", "a")).toEqual([expect.closeTo(100, -1)]);
  }, withoutFieldTimes),
  hpexpireat: on(async (redis) => {
    await redis.hset("h", { a: 1 });
    const at = soon() * 1000 + 7;
    expect(await redis.hpexpireat("h", "a", at)).toEqual([1]);
    const [left] = await redis.hpttl("h", "a");
    expect(Math.abs(left! - 1_000_000)).toBeLessThan(10_000);
  }, withoutFieldTimes),
  hpexpiretime: on(async (redis) => {
    await redis.hset("h", { a: 1 });
    await redis.hpexpireat("h", "a", 4_000_000_000_123);
    expect(await redis.hpexpiretime("h", "a")).toEqual([4_000_000_000_123]);
  }, "redis-7.0"),
  hpttl: on(async (redis) => {
    await redis.hset("h", { a: 1, b: 2 });
    await redis.hpexpire("h", "a", 100_000);
    const [left, none] = await redis.hpttl("h", ["a", "b"]);
    expect(left).toBeGreaterThan(90_000);
    expect(left).toBeLessThanOrEqual(100_000);
    expect(none).toBe(-1);
  }, withoutFieldTimes),
  hrandfield: on(async (redis) => {
    expect(await redis.hrandfield("none")).toBeNull();
    await redis.hset("h", { 1: "x" });
    expect(await redis.hrandfield("h")).toBe("1");
    expect(await redis.hrandfield("h", -2)).toEqual(["1", "1"]);
    expect(await redis.hrandfield("h", 5, true)).toEqual({ 1: "x" });
  }),
  hscan: on(async (redis) => {
    await redis.hset("h", { 1: 10, b: "x" });
    expect(await redis.hscan("h", 0)).toEqual(["0", ["1", 10, "b", "x"]]);
    expect(await redis.hscan("h", "0", { match: "b*", count: 10 })).toEqual(["0", ["b", "x"]]);
  }),
  hset: on(async (redis) => {
    expect(await redis.hset("h", { a: 1, b: { c: true } })).toBe(2);
    expect(await redis.hset("h", { a: 2, d: 1 })).toBe(1);
  }),
  hsetex: on(async (redis) => {
    expect(await redis.hsetex("h", { expiration: { ex: 100 } }, { a: 1, b: { c: 2 } })).toBe(1);
    expect(await redis.hsetex("h", { conditional: "FNX" }, { b: 3, c: 4 })).toBe(0);
    expect(await redis.hsetex("h", { conditional: "fxx", expiration: { keepttl: true } }, { a: 5 })).toBe(1);
    expect(await redis.hgetall("h")).toEqual({ a: 5, b: { c: 2 } });
    expect(await redis.httl("h", "a")).toEqual([expect.closeTo(100, -1)]);
  }, withoutFieldTimes),
  hsetnx: on(async (redis) => {
    expect(await redis.hsetnx("h", "a", 1)).toBe(1);
    expect(await redis.hsetnx("h", "a", 2)).toBe(0);
  }),
  hstrlen: on(async (redis) => {
    await redis.hset("h", { a: "abc" });
    expect(await redis.hstrlen("h", "a")).toBe(3);
  }),
  httl: on(async (redis) => {
    await redis.hset("h", { a: 1 });
    expect(await redis.httl("h", "a")).toEqual([-1]);
  }, withoutFieldTimes),
  hvals: on(async (redis) => {
    await redis.hset("h", { a: 1, b: "x" });
    expect(await redis.hvals("h")).toEqual([1, "x"]);
  }),
};
