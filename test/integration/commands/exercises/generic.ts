import { expect } from "vitest";
import type { GenericCommands } from "../../../../src/commands/generic.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import { type Exercises, on } from "./exercise.js";

const soon = () => Math.floor(Date.now() / 1000) + 1000;

export const genericExercises: Exercises<GenericCommands<Immediate>> = {
  copy: on(async (redis) => {
    await redis.mset({ a: 1, b: 2 });
    expect(await redis.copy("a", "c")).toBe("COPIED");
    expect(await redis.copy("a", "b")).toBe("NOT_COPIED");
    expect(await redis.copy("a", "b", { replace: true })).toBe("COPIED");
    expect(await redis.mget("b", "c")).toEqual([1, 1]);
  }),
  del: on(async (redis) => {
    await redis.mset({ a: 1, b: 2 });
    expect(await redis.del("a", "b", "c")).toBe(2);
  }),
  dump: on(async (redis) => {
    await redis.set("k", "v");
    const bytes = await redis.dump("k");
    expect(bytes).toBeInstanceOf(Uint8Array);
    // Each engine has its own format; it contains the value unchanged.
    expect(bytes).toContain("v".charCodeAt(0));
    expect(await redis.dump("none")).toBeNull();
  }, "embedded"),
  exists: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.exists("a", "a", "b")).toBe(2);
  }),
  expire: on(async (redis) => {
    await redis.set("k", 1);
    expect(await redis.expire("k", 100)).toBe(1);
    expect(await redis.expire("k", 50, "GT")).toBe(0);
    expect(await redis.expire("none", 50)).toBe(0);
    expect(await redis.ttl("k")).toBeCloseTo(100, -1);
  }),
  expireat: on(async (redis) => {
    await redis.set("k", 1);
    const at = soon();
    expect(await redis.expireat("k", at, "NX")).toBe(1);
    expect(await redis.expiretime("k")).toBe(at);
  }),
  expiretime: on(async (redis) => {
    await redis.set("k", 1);
    expect(await redis.expiretime("k")).toBe(-1);
    expect(await redis.expiretime("none")).toBe(-2);
  }),
  keys: on(async (redis) => {
    await redis.mset({ 1: "x", a1: "x" });
    expect(await redis.keys("1*")).toEqual(["1"]);
  }),
  move: on(async (redis) => {
    await redis.set("k", 1);
    expect(await redis.move("k", 1)).toBe(1);
    expect(await redis.move("k", 1)).toBe(0);
  }),
  objectEncoding: on(async (redis) => {
    await redis.set("k", 1);
    expect(await redis.objectEncoding("k")).toBe("int");
    expect(await redis.objectEncoding("none")).toBeNull();
  }),
  objectFreq: on(async (redis) => {
    await redis.set("k", 1);
    // The eviction policy here is not LFU, so Redis replies with an error.
    await expect(redis.objectFreq("k")).rejects.toThrow("LFU maxmemory policy");
    expect(await redis.objectFreq("none")).toBeNull();
  }),
  objectIdletime: on(async (redis) => {
    await redis.set("k", 1);
    expect(await redis.objectIdletime("k")).toBeLessThan(20);
  }),
  objectRefcount: on(async (redis) => {
    await redis.set("k", "a value of its own");
    expect(await redis.objectRefcount("k")).toBe(1);
  }),
  persist: on(async (redis) => {
    await redis.set("k", 1, { ex: 100 });
    expect(await redis.persist("k")).toBe(1);
    expect(await redis.persist("k")).toBe(0);
  }),
  pexpire: on(async (redis) => {
    await redis.set("k", 1);
    expect(await redis.pexpire("k", 100_000)).toBe(1);
    expect(await redis.ttl("k")).toBeCloseTo(100, -1);
  }),
  pexpireat: on(async (redis) => {
    await redis.set("k", 1);
    const at = soon() * 1000 + 3;
    expect(await redis.pexpireat("k", at)).toBe(1);
    expect(await redis.pexpiretime("k")).toBe(at);
  }),
  pexpiretime: on(async (redis) => {
    expect(await redis.pexpiretime("none")).toBe(-2);
  }),
  pttl: on(async (redis) => {
    await redis.set("k", 1, { px: 100_000 });
    const left = await redis.pttl("k");
    expect(left).toBeGreaterThan(90_000);
    expect(left).toBeLessThanOrEqual(100_000);
  }),
  randomkey: on(async (redis) => {
    expect(await redis.randomkey()).toBeNull();
    await redis.set("123", 1);
    expect(await redis.randomkey()).toBe("123");
  }),
  rename: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.rename("a", "b")).toBe("OK");
    expect(await redis.get("b")).toBe(1);
    await expect(redis.rename("none", "b")).rejects.toThrow("no such key");
  }),
  renamenx: on(async (redis) => {
    await redis.mset({ a: 1, b: 2 });
    expect(await redis.renamenx("a", "b")).toBe(0);
    expect(await redis.renamenx("a", "c")).toBe(1);
  }),
  restore: on(async (redis) => {
    await redis.rpush<unknown>("l", 1, "\u{1f600}", { a: 1 });
    const bytes = (await redis.dump("l"))!;
    expect(await redis.restore("copy", 100_000, bytes)).toBe("OK");
    expect(await redis.lrange("copy", 0, -1)).toEqual([1, "\u{1f600}", { a: 1 }]);
    expect(await redis.ttl("copy")).toBeCloseTo(100, -1);
    await expect(redis.restore("copy", 0, bytes)).rejects.toMatchObject({ code: "BUSYKEY" });
    expect(await redis.restore("copy", 0, bytes, { replace: true })).toBe("OK");
    expect(await redis.ttl("copy")).toBe(-1);
  }, "embedded"),
  scan: on(async (redis) => {
    await redis.mset({ 1: "x", a: "x" });
    await redis.sadd("s", 1);
    const [cursor, keys] = await redis.scan(0, { count: 100 });
    expect(cursor).toBe("0");
    expect(keys.sort()).toEqual(["1", "a", "s"]);
    expect(await redis.scan("0", { match: "1*", count: 100 })).toEqual(["0", ["1"]]);
    expect(await redis.scan("0", { type: "set", count: 100 })).toEqual(["0", ["s"]]);
  }),
  sort: on(async (redis) => {
    await redis.rpush("l", 3, 1, 2);
    expect(await redis.sort("l")).toEqual([1, 2, 3]);
    expect(await redis.sort("l", { order: "DESC", offset: 1, count: 1 })).toEqual([2]);
    await redis.mset({ w_1: 9, w_2: 8, w_3: 7, v_3: "three" });
    expect(await redis.sort("l", { by: "w_*", get: ["#", "v_*"] })).toEqual([3, "three", 2, null, 1, null]);
    expect(await redis.sort("l", { alpha: true, store: "d" })).toBe(3);
    expect(await redis.lrange("d", 0, -1)).toEqual([1, 2, 3]);
  }),
  sortRo: on(async (redis) => {
    await redis.sadd("s", "b", "a");
    expect(await redis.sortRo("s", { alpha: true })).toEqual(["a", "b"]);
  }),
  touch: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.touch("a", "b")).toBe(1);
  }),
  ttl: on(async (redis) => {
    await redis.set("k", 1, { ex: 100 });
    expect(await redis.ttl("k")).toBeCloseTo(100, -1);
    expect(await redis.ttl("none")).toBe(-2);
  }),
  type: on(async (redis) => {
    await redis.set("k", 1);
    await redis.xadd("x", "*", { a: 1 });
    expect(await redis.type("k")).toBe("string");
    expect(await redis.type("x")).toBe("stream");
    expect(await redis.type("none")).toBe("none");
  }),
  unlink: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.unlink("a", "b")).toBe(1);
  }),
  // Over HTTP a connection is shared, so that these mean something only behind a write in the same pipeline.
  wait: on(async (redis) => {
    expect(await redis.pipeline().set("k", 1).wait(0, 10).exec()).toEqual(["OK", 0]);
  }),
  waitaof: on(
    async (redis) => {
      expect(await redis.pipeline().set("k", 1).waitaof(0, 0, 10).exec()).toEqual(["OK", [0, 0]]);
    },
    "embedded",
    "redis-7.0",
  ),
};
