import { expect } from "vitest";
import type { ArrayCommands } from "../../../../src/commands/array.js";
import type { BitmapCommands } from "../../../../src/commands/bitmap.js";
import type { ConnectionCommands } from "../../../../src/commands/connection.js";
import type { HyperLogLogCommands } from "../../../../src/commands/hyperloglog.js";
import type { Builders } from "../../../../src/commands/index.js";
import type { JsonCommands } from "../../../../src/commands/json.js";
import type { Immediate } from "../../../../src/commands/kind.js";
import type { VectorSetCommands } from "../../../../src/commands/vector-set.js";
import { type Exercises, nowhere, on } from "./exercise.js";

export const connectionExercises: Exercises<ConnectionCommands<Immediate>> = {
  // Connections are shared, so the gateway refuses it.
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

export const jsonExercises: Exercises<JsonCommands<Immediate>> = {
  arrappend: nowhere,
  arrindex: nowhere,
  arrinsert: nowhere,
  arrlen: nowhere,
  arrpop: nowhere,
  arrtrim: nowhere,
  clear: nowhere,
  del: nowhere,
  forget: nowhere,
  get: nowhere,
  merge: nowhere,
  mget: nowhere,
  mset: nowhere,
  numincrby: nowhere,
  nummultby: nowhere,
  numpowby: nowhere,
  objkeys: nowhere,
  objlen: nowhere,
  resp: nowhere,
  set: nowhere,
  strappend: nowhere,
  strlen: nowhere,
  toggle: nowhere,
  type: nowhere,
};

export const arrayExercises: Exercises<ArrayCommands<Immediate>> = {
  arcount: nowhere,
  ardel: nowhere,
  ardelrange: nowhere,
  arget: nowhere,
  argetrange: nowhere,
  argrep: nowhere,
  arinfo: nowhere,
  arinsert: nowhere,
  arlastitems: nowhere,
  arlen: nowhere,
  armget: nowhere,
  armset: nowhere,
  arnext: nowhere,
  arop: nowhere,
  arring: nowhere,
  arscan: nowhere,
  arseek: nowhere,
  arset: nowhere,
};

export const vectorSetExercises: Exercises<VectorSetCommands<Immediate>> = {
  vadd: nowhere,
  vcard: nowhere,
  vdim: nowhere,
  vemb: nowhere,
  vgetattr: nowhere,
  vinfo: nowhere,
  vismember: nowhere,
  vlinks: nowhere,
  vrandmember: nowhere,
  vrange: nowhere,
  vrem: nowhere,
  vsetattr: nowhere,
  vsim: nowhere,
};
