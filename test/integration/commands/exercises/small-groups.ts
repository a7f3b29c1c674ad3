import { expect } from "vitest";
import arrayCommands, { type ArrayCommands } from "../../../../src/commands/array.js";
import type { BitmapCommands } from "../../../../src/commands/bitmap.js";
import type { ConnectionCommands } from "../../../../src/commands/connection.js";
import type { HyperLogLogCommands } from "../../../../src/commands/hyperloglog.js";
import type { Builders } from "../../../../src/commands/index.js";
import type { JsonCommands, JsonInput } from "../../../../src/commands/json.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { VectorSetCommands } from "../../../../src/commands/vector-set.js";
import type { Redis } from "../../../../src/index.js";
import { type Exercises, nowhere, on } from "./exercise.js";

export const connectionExercises: Exercises<ConnectionCommands<Immediate>> = {
  // The gateway refuses CLIENT SETINFO, because clients share its connections.
  clientSetinfo: nowhere,
  echo: on(async (redis) => {
    expect(await redis.echo("12")).toBe("12");
  }),
  ping: on(async (redis) => {
    expect(await redis.ping()).toBe("PONG");
    expect(await redis.ping(["hello"])).toBe("hello");
  }),
};

export const bitmapExercises: Exercises<BitmapCommands<Immediate> & Builders<Immediate>> = {
  bitcount: on(async (redis) => {
    await redis.set("k", "foobar");
    expect(await redis.bitcount("k")).toBe(26);
    expect(await redis.bitcount("k", 1, 1)).toBe(6);
    expect(await redis.bitcount("k", 5, 30, "BIT")).toBe(17);
  }),
  bitfield: on(async (redis) => {
    expect(
      await redis.bitfield("k").set("u8", 0, 255).overflow("FAIL").incrby("u8", "#0", 1).get("u4", 0).exec(),
    ).toEqual([0, null, 15]);
    expect(await redis.bitfield("k").overflow("SAT").incrby("u8", 0, 10).exec()).toEqual([255]);
  }),
  bitfieldRo: on(async (redis) => {
    await redis.set("k", "a");
    expect(await redis.bitfieldRo("k", "GET", "u8", 0, "GET", "u4", 4)).toEqual([97, 1]);
  }),
  bitop: on(async (redis) => {
    await redis.mset({ a: "abc", b: "abd" });
    expect(await redis.bitop("and", "d", "a", "b")).toBe(3);
    expect(await redis.get("d")).toBe("ab`");
    expect(await redis.bitop("not", "d", "a")).toBe(3);
  }),
  bitpos: on(async (redis) => {
    await redis.set("k", "\0\u000f");
    expect(await redis.bitpos("k", 1)).toBe(12);
    expect(await redis.bitpos("k", 1, 0, 0)).toBe(-1);
    expect(await redis.bitpos("k", 1, 2, 13, "BIT")).toBe(12);
  }),
  getbit: on(async (redis) => {
    await redis.set("k", "a");
    expect(await redis.getbit("k", 1)).toBe(1);
    expect(await redis.getbit("k", 100)).toBe(0);
  }),
  setbit: on(async (redis) => {
    expect(await redis.setbit("k", 7, 1)).toBe(0);
    expect(await redis.setbit("k", 7, 0)).toBe(1);
  }),
};

export const hyperloglogExercises: Exercises<HyperLogLogCommands<Immediate>> = {
  pfadd: on(async (redis) => {
    expect(await redis.pfadd("k", "a", { b: 1 })).toBe(1);
    expect(await redis.pfadd("k", "a")).toBe(0);
  }),
  pfcount: on(async (redis) => {
    await redis.pfadd("a", 1, 2, 3);
    await redis.pfadd("b", 3, 4);
    expect(await redis.pfcount("a")).toBe(3);
    expect(await redis.pfcount("a", "b")).toBe(4);
  }),
  pfmerge: on(async (redis) => {
    await redis.pfadd("a", 1);
    await redis.pfadd("b", 2);
    expect(await redis.pfmerge("d", "a", "b")).toBe("OK");
    expect(await redis.pfcount("d")).toBe(2);
  }),
};

/** Runs an exercise with `document` at the key `d`. Redis 7.0 and Valkey 9.1 have no JSON commands here. */
const onDocument = (document: JsonInput, run: (redis: Redis) => Promise<void>) =>
  on(
    async (redis) => {
      expect(await redis.json.set("d", "$", document)).toBe("OK");
      await run(redis);
    },
    "redis-7.0",
    "valkey-9.1",
  );

export const jsonExercises: Exercises<JsonCommands<Immediate>> = {
  arrappend: onDocument({ a: [1], n: { a: 2 } }, async ({ json }) => {
    expect(await json.arrappend("d", "$..a", { b: 2 }, '"y"')).toEqual([3, null]);
    expect(await json.get("d", "$.a")).toEqual([[1, { b: 2 }, "y"]]);
  }),
  arrindex: onDocument({ a: [1, "x", 1] }, async ({ json }) => {
    expect(await json.arrindex("d", "$.a", '"x"')).toEqual([1]);
    expect(await json.arrindex("d", "$.a", 1, 1)).toEqual([2]);
    expect(await json.arrindex("d", "$.a", 9)).toEqual([-1]);
  }),
  arrinsert: onDocument({ a: [1] }, async ({ json }) => {
    expect(await json.arrinsert("d", "$.a", 0, { b: 2 }, 3)).toEqual([3]);
    expect(await json.get("d", "$.a")).toEqual([[{ b: 2 }, 3, 1]]);
  }),
  arrlen: onDocument([1, [2]], async ({ json }) => {
    expect(await json.arrlen("d")).toEqual([2]);
    expect(await json.arrlen("d", "$[*]")).toEqual([null, 1]);
  }),
  arrpop: onDocument({ a: [1, { b: 2 }, "x"], n: 1 }, async ({ json }) => {
    expect(await json.arrpop("d", "$.*")).toEqual(["x", null]);
    expect(await json.arrpop("d", "$.a", 0)).toEqual([1]);
    expect(await json.arrpop("d", "$.a")).toEqual([{ b: 2 }]);
  }),
  arrtrim: onDocument([1, 2, 3, 4], async ({ json }) => {
    expect(await json.arrtrim("d", "$", 1, 2)).toEqual([2]);
    expect(await json.get("d")).toEqual([2, 3]);
  }),
  clear: onDocument({ a: [1], n: 2, s: "x" }, async ({ json }) => {
    expect(await json.clear("d", "$.*")).toBe(2);
    expect(await json.get("d")).toEqual({ a: [], n: 0, s: "x" });
  }),
  del: onDocument({ a: 1, b: { a: 2 } }, async ({ json }) => {
    expect(await json.del("d", "$..a")).toBe(2);
    expect(await json.del("d")).toBe(1);
    expect(await json.get("d")).toBeNull();
  }),
  forget: onDocument({ a: 1, b: 2 }, async ({ json }) => {
    expect(await json.forget("d", "$.a")).toBe(1);
    expect(await json.get("d")).toEqual({ b: 2 });
  }),
  get: onDocument({ a: "x", b: [1, null, true] }, async ({ json }) => {
    expect(await json.get("d")).toEqual({ a: "x", b: [1, null, true] });
    expect(await json.get("d", "$.a", "$.b")).toEqual({ "$.a": ["x"], "$.b": [[1, null, true]] });
    expect(await json.get("d", { indent: " ", newline: "\n", space: " " }, "$.b[0]")).toEqual([1]);
    expect(await json.get("none")).toBeNull();
  }),
  merge: onDocument({ a: { b: 1, c: 2 } }, async ({ json }) => {
    expect(await json.merge("d", "$.a", { b: null, d: [1] })).toBe("OK");
    expect(await json.get("d")).toEqual({ a: { c: 2, d: [1] } });
  }),
  mget: onDocument({ a: 1 }, async ({ json }) => {
    expect(await json.mget(["d", "none"], "$.a")).toEqual([[1], null]);
  }),
  mset: onDocument({ a: 1 }, async ({ json }) => {
    expect(
      await json.mset({ key: "d", path: "$.a", value: [2] }, { key: "e", path: "$", value: { b: "x" } }),
    ).toBe("OK");
    expect(await json.mget(["d", "e"], "$")).toEqual([[{ a: [2] }], [{ b: "x" }]]);
  }),
  numincrby: onDocument({ a: 1, b: "x" }, async ({ json }) => {
    expect(await json.numincrby("d", "$.*", 1.5)).toEqual([2.5, null]);
  }),
  nummultby: onDocument({ a: 3 }, async ({ json }) => {
    expect(await json.nummultby("d", "$.a", 2)).toEqual([6]);
  }),
  numpowby: onDocument({ a: 3 }, async ({ json }) => {
    expect(await json.numpowby("d", "$.a", 2)).toEqual([9]);
  }),
  objkeys: onDocument({ a: { b: 1, c: 2 }, n: 1 }, async ({ json }) => {
    expect(await json.objkeys("d", "$.*")).toEqual([["b", "c"], null]);
  }),
  objlen: onDocument({ a: { b: 1, c: 2 }, n: 1 }, async ({ json }) => {
    expect(await json.objlen("d", "$.*")).toEqual([2, null]);
  }),
  resp: onDocument({ a: 1 }, async ({ json }) => {
    expect(await json.resp("d", "$.a")).toEqual([1]);
  }),
  set: onDocument({ a: 1 }, async ({ json }) => {
    expect(await json.set("d", "$.a", 2, { nx: true })).toBeNull();
    expect(await json.set("d", "$.a", '"text"', { xx: true })).toBe("OK");
    expect(await json.get("d", "$.a")).toEqual(["text"]);
  }),
  strappend: onDocument({ a: "x" }, async ({ json }) => {
    expect(await json.strappend("d", "$.a", '"yz"')).toEqual([3]);
  }),
  strlen: onDocument({ a: "x", n: 1 }, async ({ json }) => {
    expect(await json.strlen("d", "$.*")).toEqual([1, null]);
  }),
  toggle: onDocument({ a: true }, async ({ json }) => {
    expect(await json.toggle("d", "$.a")).toEqual([0]);
    expect(await json.toggle("d", "$.a")).toEqual([1]);
  }),
  type: onDocument({ a: true, b: [] }, async ({ json }) => {
    expect(await json.type("d", "$.*")).toEqual(["boolean", "array"]);
  }),
};

export const arrayExercises = Object.fromEntries(
  Object.keys(arrayCommands()).map((method) => [method, nowhere]),
) as Exercises<ArrayCommands<Immediate>>;

/** Runs an exercise with a set of three vectors at the key `v`. Only Redis 8.2 has vector sets. */
const onVectors = (run: (redis: Redis) => Promise<void>) =>
  on(
    async (redis) => {
      expect(await redis.vadd("v", [1, 0], "x", { quantization: "NOQUANT", setAttr: { year: 1990 } })).toBe(
        1,
      );
      expect(await redis.vadd("v", new Float32Array([0, 1]), "y", { quantization: "NOQUANT" })).toBe(1);
      expect(await redis.vadd("v", [-1, 0], "7", { quantization: "NOQUANT", m: 16, ef: 100 })).toBe(1);
      await run(redis);
    },
    "embedded",
    "redis-7.0",
    "valkey-9.1",
  );

export const vectorSetExercises: Exercises<VectorSetCommands<Immediate>> = {
  vadd: onVectors(async (redis) => {
    expect(await redis.vadd("v", [1, 0], "x", { quantization: "NOQUANT", cas: true })).toBe(0);
    expect(await redis.vadd("w", [1, 2, 3, 4], "e", { reduce: 2 })).toBe(1);
    expect(await redis.vdim("w")).toBe(2);
  }),
  vcard: onVectors(async (redis) => {
    expect(await redis.vcard("v")).toBe(3);
    expect(await redis.vcard("none")).toBe(0);
  }),
  vdim: onVectors(async (redis) => {
    expect(await redis.vdim("v")).toBe(2);
  }),
  vemb: onVectors(async (redis) => {
    expect(await redis.vemb("v", "7")).toEqual([-1, 0]);
    expect(await redis.vemb("v", "none")).toBeNull();
  }),
  vgetattr: onVectors(async (redis) => {
    expect(await redis.vgetattr("v", "x")).toEqual({ year: 1990 });
    expect(await redis.vgetattr("v", "y")).toBeNull();
  }),
  vinfo: onVectors(async (redis) => {
    expect(await redis.vinfo("v")).toMatchObject({ "quant-type": "f32", "vector-dim": 2, size: 3 });
    expect(await redis.vinfo("none")).toBeNull();
  }),
  vismember: onVectors(async (redis) => {
    expect(await redis.vismember("v", "x")).toBe(1);
    expect(await redis.vismember("v", "none")).toBe(0);
  }),
  vlinks: onVectors(async (redis) => {
    const [layer] = (await redis.vlinks("v", "x"))!.slice(-1);
    expect([...layer!].sort()).toEqual([7, "y"]);
    const [scored] = (await redis.vlinks("v", "x", true))!.slice(-1);
    expect(scored).toEqual(expect.arrayContaining(["y", 0.5, 7, 0]));
    expect(await redis.vlinks("v", "none")).toBeNull();
  }),
  vrandmember: onVectors(async (redis) => {
    expect(["x", "y", 7]).toContain(await redis.vrandmember("v"));
    expect(await redis.vrandmember("v", 2)).toHaveLength(2);
    expect(await redis.vrandmember("none")).toBeNull();
  }),
  vrange: nowhere,
  vrem: onVectors(async (redis) => {
    expect(await redis.vrem("v", "7")).toBe(1);
    expect(await redis.vrem("v", "7")).toBe(0);
  }),
  vsetattr: onVectors(async (redis) => {
    expect(await redis.vsetattr("v", "y", { year: 2000 })).toBe(1);
    expect(await redis.vgetattr("v", "y")).toEqual({ year: 2000 });
    expect(await redis.vsetattr("v", "none", "")).toBe(0);
  }),
  vsim: onVectors(async (redis) => {
    expect(await redis.vsim("v", [1, 0.1])).toEqual(["x", "y", 7]);
    expect(await redis.vsim("v", { element: "x" }, { withScores: true, count: 2, truth: true })).toEqual([
      { element: "x", score: 1 },
      { element: "y", score: 0.5 },
    ]);
    expect(await redis.vsim("v", [1, 0], { withAttribs: true, count: 1, filter: ".year > 1980" })).toEqual([
      { element: "x", attributes: { year: 1990 } },
    ]);
  }),
};
