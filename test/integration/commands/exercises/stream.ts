import { expect } from "vitest";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { StreamCommands } from "../../../../src/commands/stream.js";
import type { Redis } from "../../../../src/index.js";
import { type Exercises, nowhere, on } from "./exercise.js";

/** Adds the entries 1-0 and 2-0 to `s`. The consumer `c` of the group `g` reads them, and acknowledges neither. */
async function pending(redis: Redis): Promise<void> {
  await redis.xadd("s", "1-0", { f: 1, g: "x" });
  await redis.xadd("s", "2-0", { f: { a: [1] } });
  await redis.xgroup("s", { type: "CREATE", group: "g", id: "0" });
  await redis.xreadgroup("g", "c", "s", ">");
}

const first = ["1-0", ["f", 1, "g", "x"]];
const second = ["2-0", ["f", { a: [1] }]];

const filled = (run: (redis: Redis) => Promise<void>, ...lackedBy: Parameters<typeof on>[1][]) =>
  on(
    async (redis) => {
      await pending(redis);
      await run(redis);
    },
    ...lackedBy,
  );

/** Engines without the commands that Redis 8.2 brought. */
const BEFORE_8_2 = ["embedded", "redis-7.0", "valkey-9.1"] as const;

export const streamExercises: Exercises<StreamCommands<Immediate>> = {
  xack: filled(async (redis) => {
    expect(await redis.xack("s", "g", ["1-0", "9-0"])).toBe(1);
    expect(await redis.xack("s", "g", "2-0")).toBe(1);
  }),
  xackdel: filled(
    async (redis) => {
      expect(await redis.xackdel("s", "g", "KEEPREF", "1-0", "9-0")).toEqual([1, -1]);
      expect(await redis.xackdel("s", "g", "DELREF", "2-0")).toEqual([1]);
      expect(await redis.xlen("s")).toBe(0);
    },
    ...BEFORE_8_2,
  ),
  xadd: on(async (redis) => {
    expect(await redis.xadd("s", "1-1", { f: 1 })).toBe("1-1");
    expect(await redis.xadd("s", "*", { f: 1 })).toMatch(/^\d+-\d+$/);
    expect(await redis.xadd("none", "*", { f: 1 }, { nomkStream: true })).toBeNull();
    const trim = { type: "MAXLEN", threshold: 1, comparison: "=" } as const;
    expect(await redis.xadd("s", "9999999999999-0", { f: "last" }, { trim })).toBe("9999999999999-0");
    expect(await redis.xlen("s")).toBe(1);
  }),
  xautoclaim: filled(async (redis) => {
    expect(await redis.xautoclaim("s", "g", "d", 0, "0", { count: 1 })).toEqual(["2-0", [first], []]);
    expect(await redis.xautoclaim("s", "g", "d", 0, "0", { justId: true })).toEqual([
      "0-0",
      ["1-0", "2-0"],
      [],
    ]);
  }),
  xcfgset: nowhere,
  xclaim: filled(async (redis) => {
    expect(await redis.xclaim("s", "g", "d", 0, "1-0")).toEqual([first]);
    expect(await redis.xclaim("s", "g", "d", 0, ["1-0", "2-0"], { justId: true, idleMS: 5 })).toEqual([
      "1-0",
      "2-0",
    ]);
  }),
  xdel: filled(async (redis) => {
    expect(await redis.xdel("s", ["1-0", "2-0", "3-0"])).toBe(2);
  }),
  xdelex: filled(
    async (redis) => {
      expect(await redis.xdelex("s", "ACKED", "1-0")).toEqual([2]);
      await redis.xack("s", "g", "1-0");
      expect(await redis.xdelex("s", "ACKED", "1-0")).toEqual([1]);
      expect(await redis.xdelex("s", undefined, "2-0", "9-0")).toEqual([1, -1]);
      expect(await redis.xlen("s")).toBe(0);
    },
    ...BEFORE_8_2,
  ),
  xgroup: on(async (redis) => {
    expect(
      await redis.xgroup("s", { type: "CREATE", group: "g", id: "$", options: { MKSTREAM: true } }),
    ).toBe("OK");
    expect(await redis.xgroup("s", { type: "CREATECONSUMER", group: "g", consumer: "c" })).toBe(1);
    expect(await redis.xgroup("s", { type: "SETID", group: "g", id: "0" })).toBe("OK");
    expect(await redis.xgroup("s", { type: "DELCONSUMER", group: "g", consumer: "c" })).toBe(0);
    expect(await redis.xgroup("s", { type: "DESTROY", group: "g" })).toBe(1);
  }),
  xinfo: filled(async (redis) => {
    const [group] = (await redis.xinfo("s", { type: "GROUPS" })) as unknown[][];
    expect(group?.slice(0, 6)).toEqual(["name", "g", "consumers", 1, "pending", 2]);
    const [consumer] = (await redis.xinfo("s", { type: "CONSUMERS", group: "g" })) as unknown[][];
    expect(consumer?.slice(0, 4)).toEqual(["name", "c", "pending", 2]);
    const stream = await redis.xinfo("s", { type: "STREAM" });
    expect(stream.slice(0, 2)).toEqual(["length", 2]);
    expect(stream[stream.indexOf("last-generated-id") + 1]).toBe("2-0");
  }),
  xlen: filled(async (redis) => {
    expect(await redis.xlen("s")).toBe(2);
  }),
  xnack: nowhere,
  xpending: filled(async (redis) => {
    expect(await redis.xpending("s", "g")).toEqual([2, "1-0", "2-0", [["c", 2]]]);
    const found = await redis.xpending("s", "g", "-", "+", 1, { consumer: "c" });
    expect(found).toEqual([["1-0", "c", expect.any(Number), 1]]);
    expect(await redis.xpending("s", "g", "-", "+", 10, { idleTime: 60_000 })).toEqual([]);
  }),
  xrange: filled(async (redis) => {
    const all = await redis.xrange("s", "-", "+");
    expect(all).toEqual({ "1-0": { f: 1, g: "x" }, "2-0": { f: { a: [1] } } });
    expect(Object.keys(all)).toEqual(["1-0", "2-0"]);
    expect(await redis.xrange("s", "-", "+", 1)).toEqual({ "1-0": { f: 1, g: "x" } });
    expect(await redis.xrange("none", "-", "+")).toEqual({});
  }),
  xread: filled(async (redis) => {
    expect(await redis.xread("s", "0")).toEqual([["s", [first, second]]]);
    expect(await redis.xread(["s", "none"], ["1-0", "0"], { count: 1 })).toEqual([["s", [second]]]);
    expect(await redis.xread("s", "2-0")).toBeNull();
    expect(await redis.xread("s", "$", { blockMS: 50 })).toBeNull();
  }),
  xreadgroup: filled(async (redis) => {
    expect(await redis.xreadgroup("g", "c", "s", "0", { count: 1 })).toEqual([["s", [first]]]);
    expect(await redis.xreadgroup("g", "c", ["s"], [">"], { NOACK: true })).toBeNull();
    await redis.xdel("s", "1-0");
    expect(await redis.xreadgroup("g", "c", "s", "0")).toEqual([["s", [["1-0", null], second]]]);
  }),
  xrevrange: filled(async (redis) => {
    const all = await redis.xrevrange("s", "+", "-");
    expect(Object.keys(all)).toEqual(["2-0", "1-0"]);
  }),
  xsetid: filled(async (redis) => {
    expect(await redis.xsetid("s", "5-0")).toBe("OK");
    expect(await redis.xsetid("s", "7-0", { entriesAdded: 9, maxDeletedId: "6-0" })).toBe("OK");
  }),
  xtrim: filled(async (redis) => {
    expect(await redis.xtrim("s", { strategy: "MAXLEN", exactness: "=", threshold: 1 })).toBe(1);
    expect(await redis.xtrim("s", { strategy: "MINID", threshold: "3-0", exactness: "=" })).toBe(1);
  }),
};
