import { expect } from "vitest";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { StringCommands } from "../../../../src/commands/string.js";
import { type Exercises, nowhere, on } from "./exercise.js";

export const stringExercises: Exercises<StringCommands<Immediate>> = {
  append: on(async (redis) => {
    expect(await redis.append("k", "ab")).toBe(2);
    expect(await redis.append("k", "é")).toBe(4);
    expect(await redis.get("k")).toBe("abé");
  }),
  decr: on(async (redis) => {
    expect(await redis.decr("n")).toBe(-1);
  }),
  decrby: on(async (redis) => {
    expect(await redis.decrby("n", 5)).toBe(-5);
  }),
  delex: nowhere,
  digest: nowhere,
  get: on(async (redis) => {
    expect(await redis.get("k")).toBeNull();
    await redis.set("k", { name: "Ada", langs: ["en"] });
    expect(await redis.get("k")).toEqual({ name: "Ada", langs: ["en"] });
  }),
  getdel: on(async (redis) => {
    await redis.set("k", "00123");
    expect(await redis.getdel("k")).toBe("00123");
    expect(await redis.getdel("k")).toBeNull();
  }),
  getex: on(async (redis) => {
    await redis.set("k", 5);
    expect(await redis.getex("k", { ex: 100 })).toBe(5);
    expect(await redis.ttl("k")).toBeCloseTo(100, -1);
    expect(await redis.getex("k", { persist: true })).toBe(5);
    expect(await redis.ttl("k")).toBe(-1);
    expect(await redis.getex("k")).toBe(5);
    expect(await redis.getex("none", { px: 5 })).toBeNull();
  }),
  getrange: on(async (redis) => {
    await redis.set("k", "12345");
    expect(await redis.getrange("k", 0, 1)).toBe("12");
    expect(await redis.getrange("k", -2, -1)).toBe("45");
  }),
  getset: on(async (redis) => {
    expect(await redis.getset("k", [1])).toBeNull();
    expect(await redis.getset<unknown>("k", "x")).toEqual([1]);
  }),
  incr: on(async (redis) => {
    expect(await redis.incr("n")).toBe(1);
    await redis.set("n", "9007199254740992");
    expect(await redis.incr("n")).toBe("9007199254740993");
  }),
  incrby: on(async (redis) => {
    expect(await redis.incrby("n", 41)).toBe(41);
  }),
  incrbyfloat: on(async (redis) => {
    await redis.set("n", "10.50");
    expect(await redis.incrbyfloat("n", 0.1)).toBe(10.6);
    expect(await redis.incrbyfloat("n", -10.6)).toBe(0);
  }),
  increx: nowhere,
  lcs: on(async (redis) => {
    await redis.mset({ a: "ohmytext", b: "mynewtext" });
    expect(await redis.lcs("a", "b")).toBe("mytext");
    expect(await redis.lcs("a", "b", { len: true })).toBe(6);
    expect(await redis.lcs("a", "b", { idx: true, minMatchLen: 4, withMatchLen: true })).toEqual({
      matches: [[[4, 7], [5, 8], 4]],
      len: 6,
    });
  }),
  mget: on(async (redis) => {
    await redis.mset({ a: 1, b: "1.50" });
    expect(await redis.mget("a", "none", "b")).toEqual([1, null, "1.50"]);
    expect(await redis.mget(["a"])).toEqual([1]);
  }),
  mset: on(async (redis) => {
    expect(await redis.mset({ a: { x: 1 }, b: true })).toBe("OK");
    expect(await redis.mget("a", "b")).toEqual([{ x: 1 }, true]);
  }),
  msetex: on(
    async (redis) => {
      expect(await redis.msetex({ a: 1, b: "x" }, { ex: 100, nx: true })).toBe(1);
      expect(await redis.mget("a", "b")).toEqual([1, "x"]);
      expect(await redis.ttl("b")).toBeCloseTo(100, -1);
      expect(await redis.msetex({ b: 2, c: 3 }, { nx: true })).toBe(0);
      expect(await redis.msetex({ a: 2 }, { xx: true, keepTtl: true })).toBe(1);
    },
    "embedded",
    "redis-7.0",
    "redis-8.2",
  ),
  msetnx: on(async (redis) => {
    expect(await redis.msetnx({ a: 1, b: 2 })).toBe(1);
    expect(await redis.msetnx({ b: 3, c: 4 })).toBe(0);
    expect(await redis.mget("a", "b", "c")).toEqual([1, 2, null]);
  }),
  psetex: on(async (redis) => {
    expect(await redis.psetex("k", 100_000, "v")).toBe("OK");
    expect(await redis.ttl("k")).toBeCloseTo(100, -1);
  }),
  set: on(async (redis) => {
    expect(await redis.set("k", "OK")).toBe("OK");
    expect(await redis.set("k", 1, { nx: true })).toBeNull();
    expect(await redis.set("none", 1, { xx: true })).toBeNull();
    expect(await redis.set("k", 1, { get: true, ex: 100 })).toBe("OK");
    expect(await redis.set("k", 2, { get: true, keepTtl: true })).toBe(1);
    expect(await redis.ttl("k")).toBeCloseTo(100, -1);
    expect(await redis.set("k", 3, { px: 50_000, xx: true })).toBe("OK");
    expect(await redis.ttl("k")).toBeCloseTo(50, -1);
    expect(await redis.set("new", 3, { get: true })).toBeNull();
  }),
  setex: on(async (redis) => {
    expect(await redis.setex("k", 60, { a: 1 })).toBe("OK");
    expect(await redis.ttl("k")).toBeCloseTo(60, -1);
  }),
  setnx: on(async (redis) => {
    expect(await redis.setnx("k", 1)).toBe(1);
    expect(await redis.setnx("k", 2)).toBe(0);
  }),
  setrange: on(async (redis) => {
    await redis.set("k", "Hello World");
    expect(await redis.setrange("k", 6, "Redis")).toBe(11);
    expect(await redis.get("k")).toBe("Hello Redis");
  }),
  strlen: on(async (redis) => {
    await redis.set("k", "héllo");
    expect(await redis.strlen("k")).toBe(6);
    expect(await redis.strlen("none")).toBe(0);
  }),
  substr: on(async (redis) => {
    await redis.set("k", "12345");
    expect(await redis.substr("k", 1, 2)).toBe("23");
  }),
};
