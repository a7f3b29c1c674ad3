import { expect } from "vitest";
import type { ListCommands } from "../../../../src/commands/list.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import { type Exercises, nowhere, on } from "./exercise.js";

export const listExercises: Exercises<ListCommands<Immediate>> = {
  blmove: on(async (redis) => {
    await redis.rpush<unknown>("a", 1, "x");
    expect(await redis.blmove("a", "b", "right", "left", 1)).toBe("x");
    expect(await redis.blmove("none", "b", "left", "left", 0.05)).toBeNull();
  }),
  blmovem: nowhere,
  blmpop: on(async (redis) => {
    await redis.rpush("b", 1, 2, 3);
    expect(await redis.blmpop(1, 2, ["a", "b"], "LEFT", 2)).toEqual(["b", [1, 2]]);
    expect(await redis.blmpop(0.05, 1, ["a"], "RIGHT")).toBeNull();
  }),
  blpop: on(async (redis) => {
    await redis.rpush("b", { a: 1 });
    expect(await redis.blpop(["a", "b"], 1)).toEqual(["b", { a: 1 }]);
    expect(await redis.blpop("a", 0.05)).toBeNull();
  }),
  brpop: on(async (redis) => {
    await redis.rpush<unknown>("a", 1, "2");
    expect(await redis.brpop("a", 1)).toEqual(["a", 2]);
  }),
  brpoplpush: on(async (redis) => {
    await redis.rpush<unknown>("a", 1, "x");
    expect(await redis.brpoplpush("a", "b", 1)).toBe("x");
    expect(await redis.lrange("b", 0, -1)).toEqual(["x"]);
  }),
  lindex: on(async (redis) => {
    await redis.rpush<unknown>("l", "a", 2);
    expect(await redis.lindex("l", -1)).toBe(2);
    expect(await redis.lindex("l", 5)).toBeNull();
  }),
  linsert: on(async (redis) => {
    await redis.rpush("l", "a", "c");
    expect(await redis.linsert("l", "before", "c", "b")).toBe(3);
    expect(await redis.linsert("l", "after", "none", "b")).toBe(-1);
    expect(await redis.linsert("none", "after", "a", "b")).toBe(0);
    expect(await redis.lrange("l", 0, -1)).toEqual(["a", "b", "c"]);
  }),
  llen: on(async (redis) => {
    await redis.rpush("l", 1, 2);
    expect(await redis.llen("l")).toBe(2);
  }),
  lmove: on(async (redis) => {
    await redis.rpush("a", 1, 2);
    expect(await redis.lmove("a", "b", "left", "right")).toBe(1);
    expect(await redis.lmove("none", "b", "left", "right")).toBeNull();
  }),
  lmovem: nowhere,
  lmpop: on(async (redis) => {
    await redis.rpush<unknown>("b", 1, [2]);
    expect(await redis.lmpop(2, ["a", "b"], "RIGHT")).toEqual(["b", [[2]]]);
    expect(await redis.lmpop(1, ["a"], "LEFT", 2)).toBeNull();
  }),
  lpop: on(async (redis) => {
    await redis.rpush("l", "a", "b", "c");
    expect(await redis.lpop("l")).toBe("a");
    expect(await redis.lpop("l", 5)).toEqual(["b", "c"]);
    expect(await redis.lpop("l")).toBeNull();
    expect(await redis.lpop("l", 2)).toBeNull();
  }),
  lpos: on(async (redis) => {
    await redis.rpush("l", "a", "b", "a");
    expect(await redis.lpos("l", "a")).toBe(0);
    expect(await redis.lpos("l", "a", { rank: -1 })).toBe(2);
    expect(await redis.lpos("l", "a", { count: 0 })).toEqual([0, 2]);
    expect(await redis.lpos("l", "a", { count: 0, maxLen: 2 })).toEqual([0]);
    expect(await redis.lpos("l", "none")).toBeNull();
  }),
  lpush: on(async (redis) => {
    expect(await redis.lpush<unknown>("l", 1, { a: 1 })).toBe(2);
    expect(await redis.lrange("l", 0, -1)).toEqual([{ a: 1 }, 1]);
  }),
  lpushx: on(async (redis) => {
    expect(await redis.lpushx("l", 1)).toBe(0);
    await redis.lpush("l", 1);
    expect(await redis.lpushx("l", 2, 3)).toBe(3);
  }),
  lrange: on(async (redis) => {
    await redis.rpush<unknown>("l", "01", 1, [2], "1.50", true);
    expect(await redis.lrange("l", 0, -1)).toEqual(["01", 1, [2], "1.50", true]);
    expect(await redis.lrange("none", 0, -1)).toEqual([]);
  }),
  lrem: on(async (redis) => {
    await redis.rpush("l", "a", "b", "a");
    expect(await redis.lrem("l", -1, "a")).toBe(1);
    expect(await redis.lrange("l", 0, -1)).toEqual(["a", "b"]);
  }),
  lset: on(async (redis) => {
    await redis.rpush("l", "a");
    expect(await redis.lset("l", 0, { b: 1 })).toBe("OK");
    expect(await redis.lindex("l", 0)).toEqual({ b: 1 });
  }),
  ltrim: on(async (redis) => {
    await redis.rpush("l", 1, 2, 3);
    expect(await redis.ltrim("l", 1, -1)).toBe("OK");
    expect(await redis.lrange("l", 0, -1)).toEqual([2, 3]);
  }),
  rpop: on(async (redis) => {
    await redis.rpush("l", 1, 2, 3);
    expect(await redis.rpop("l")).toBe(3);
    expect(await redis.rpop("l", 2)).toEqual([2, 1]);
    expect(await redis.rpop("l")).toBeNull();
  }),
  rpoplpush: on(async (redis) => {
    await redis.rpush("a", 1, 2);
    expect(await redis.rpoplpush("a", "b")).toBe(2);
  }),
  rpush: on(async (redis) => {
    expect(await redis.rpush("l", "a", "b")).toBe(2);
  }),
  rpushx: on(async (redis) => {
    expect(await redis.rpushx("l", "a")).toBe(0);
  }),
};
