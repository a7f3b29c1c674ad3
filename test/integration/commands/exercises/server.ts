import { expect } from "vitest";
import type { PubSubCommands } from "../../../../src/commands/pubsub.js";
import type { Immediate } from "../../../../src/commands/reply-mode.js";
import type { FunctionCommands, ScriptingCommands } from "../../../../src/commands/scripting.js";
import type { ServerCommands } from "../../../../src/commands/server.js";
import { type Exercises, on } from "./exercise.js";

const GIVE_BACK = "return {KEYS[1], ARGV[1], 7, false, {ARGV[2]}}";

export const scriptingExercises: Exercises<ScriptingCommands<Immediate>> = {
  eval: on(async (redis) => {
    expect(await redis.eval(GIVE_BACK, ["k"], ["00", { a: 1 }])).toEqual(["k", "00", 7, null, [{ a: 1 }]]);
    expect(await redis.eval("return redis.status_reply('FINE')", [])).toBe("FINE");
    expect(await redis.eval("return redis.call('SET', KEYS[1], ARGV[1])", ["k"], [5])).toBe("OK");
    expect(await redis.get("k")).toBe(5);
    await expect(redis.eval("return redis.error_reply('MINE not so')", [])).rejects.toMatchObject({
      code: "MINE",
    });
  }),
  evalRo: on(async (redis) => {
    await redis.set("k", [1]);
    expect(await redis.evalRo("return redis.call('GET', KEYS[1])", ["k"])).toEqual([1]);
    await expect(redis.evalRo("return redis.call('DEL', KEYS[1])", ["k"])).rejects.toThrow();
    expect(await redis.get("k")).toEqual([1]);
  }),
  evalsha: on(async (redis) => {
    const sha = await redis.scriptLoad("return {KEYS[1], ARGV[1]}");
    expect(await redis.evalsha(sha, ["k"], [1])).toEqual(["k", 1]);
    await expect(redis.evalsha("0".repeat(40), [])).rejects.toMatchObject({ code: "NOSCRIPT" });
  }),
  evalshaRo: on(async (redis) => {
    const sha = await redis.scriptLoad("return redis.call('GET', KEYS[1])");
    expect(await redis.evalshaRo(sha, ["none"])).toBeNull();
  }),
  scriptExists: on(async (redis) => {
    const sha = await redis.scriptLoad("return 1");
    expect(await redis.scriptExists(sha, "0".repeat(40))).toEqual([1, 0]);
  }),
  scriptFlush: on(async (redis) => {
    const sha = await redis.scriptLoad("return 2");
    expect(await redis.scriptFlush({ sync: true })).toBe("OK");
    expect(await redis.scriptExists(sha)).toEqual([0]);
    expect(await redis.scriptFlush()).toBe("OK");
  }),
  scriptKill: on(async (redis) => {
    await expect(redis.scriptKill()).rejects.toMatchObject({ code: "NOTBUSY" });
  }),
  scriptLoad: on(async (redis) => {
    expect(await redis.scriptLoad("return 1")).toBe("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  }),
  scriptShow: on(
    async (redis) => {
      const sha = await redis.scriptLoad("return 3");
      expect(await redis.scriptShow(sha)).toBe("return 3");
      await expect(redis.scriptShow("0".repeat(40))).rejects.toMatchObject({ code: "NOSCRIPT" });
    },
    "embedded",
    "redis-7.0",
    "redis-8.2",
  ),
};

const LIBRARY = `#!lua name=mylib
redis.register_function('hello', function(keys, args) return {keys[1], args[1]} end)
redis.register_function{function_name='peek', callback=function(keys) return redis.call('GET', keys[1]) end,
  flags={'no-writes'}}`;

export const functionExercises: Exercises<FunctionCommands<Immediate>> = {
  call: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    expect(await redis.functions.call("hello", ["k"], ["x"])).toEqual(["k", "x"]);
    expect(await redis.functions.call("hello")).toEqual([]);
  }),
  callRo: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    await redis.set("k", { a: 1 });
    expect(await redis.functions.callRo("peek", ["k"])).toEqual({ a: 1 });
  }),
  delete: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    expect(await redis.functions.delete("mylib")).toBe("OK");
    await expect(redis.functions.delete("mylib")).rejects.toThrow("Library not found");
  }),
  dump: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    expect(await redis.functions.dump()).toBeInstanceOf(Uint8Array);
  }),
  flush: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    expect(await redis.functions.flush()).toBe("OK");
    expect(await redis.functions.list()).toEqual([]);
  }),
  kill: on(async (redis) => {
    await expect(redis.functions.kill()).rejects.toMatchObject({ code: "NOTBUSY" });
  }),
  list: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    const [library] = await redis.functions.list({ libraryName: "mylib", withCode: true });
    library!.functions.sort((a, b) => a.name.localeCompare(b.name));
    expect(library).toEqual({
      libraryName: "mylib",
      engine: "LUA",
      functions: [
        { name: "hello", flags: [] },
        { name: "peek", flags: ["no-writes"] },
      ],
      libraryCode: LIBRARY,
    });
    expect(await redis.functions.list({ libraryName: "none" })).toEqual([]);
  }),
  load: on(async (redis) => {
    expect(await redis.functions.load({ code: LIBRARY, replace: true })).toBe("mylib");
    await expect(redis.functions.load({ code: LIBRARY })).rejects.toThrow("already exists");
  }),
  restore: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    const bytes = await redis.functions.dump();
    expect(await redis.functions.restore(bytes, "FLUSH")).toBe("OK");
    expect(await redis.functions.call("hello", ["k"], [1])).toEqual(["k", 1]);
  }),
  stats: on(async (redis) => {
    await redis.functions.load({ code: LIBRARY, replace: true });
    expect(await redis.functions.stats()).toEqual({
      engines: { LUA: { librariesCount: 1, functionsCount: 2 } },
    });
  }),
};

export const serverExercises: Exercises<ServerCommands<Immediate>> = {
  commandCount: on(async (redis) => {
    expect(await redis.commandCount()).toBeGreaterThan(200);
  }),
  commandGetkeys: on(async (redis) => {
    expect(await redis.commandGetkeys("MSET", "1", "x", "b", "y")).toEqual(["1", "b"]);
  }),
  commandList: on(async (redis) => {
    const names = (await redis.commandList()).map((name) => name.toLowerCase());
    expect(names).toEqual(expect.arrayContaining(["get", "zadd"]));
  }),
  dbsize: on(async (redis) => {
    await redis.mset({ a: 1, b: 2 });
    expect(await redis.dbsize()).toBe(2);
  }),
  flushall: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.flushall([{ async: true }])).toBe("OK");
    expect(await redis.dbsize()).toBe(0);
  }),
  flushdb: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.flushdb()).toBe("OK");
    expect(await redis.exists("a")).toBe(0);
  }),
  info: on(async (redis) => {
    expect(await redis.info()).toMatch(/^redis_version:\S+\r$/m);
    expect(await redis.info("server")).toContain("# Server");
  }),
  lastsave: on(async (redis) => {
    expect(await redis.lastsave()).toBeGreaterThan(1_600_000_000);
  }),
  memoryUsage: on(async (redis) => {
    await redis.set("k", "v");
    expect(await redis.memoryUsage("k", { samples: 0 })).toBeGreaterThan(10);
    expect(await redis.memoryUsage("none")).toBeNull();
  }),
  role: on(async (redis) => {
    expect(await redis.role()).toEqual(["master", expect.any(Number), []]);
  }),
  swapdb: on(async (redis) => {
    await redis.set("a", 1);
    expect(await redis.swapdb(0, 1)).toBe("OK");
    expect(await redis.exists("a")).toBe(0);
  }, "embedded"),
  time: on(async (redis) => {
    const [seconds, micros] = await redis.time();
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(5);
    expect(micros).toBeGreaterThanOrEqual(0);
    expect(micros).toBeLessThan(1_000_000);
  }),
};

export const pubsubExercises: Exercises<PubSubCommands<Immediate>> = {
  publish: on(async (redis) => {
    expect(await redis.publish("c", { a: 1 })).toBe(0);
  }),
  pubsubChannels: on(async (redis) => {
    // The gateway has a channel of its own.
    const channels = await redis.pubsubChannels();
    expect(channels.filter((channel) => channel !== "warmline:gateways")).toEqual([]);
    expect(await redis.pubsubChannels("a*")).toEqual([]);
  }),
  pubsubNumpat: on(async (redis) => {
    expect(await redis.pubsubNumpat()).toBe(0);
  }),
  pubsubNumsub: on(async (redis) => {
    expect(await redis.pubsubNumsub("a", "b")).toEqual({ a: 0, b: 0 });
    expect(await redis.pubsubNumsub()).toEqual({});
  }),
  pubsubShardchannels: on(async (redis) => {
    expect(await redis.pubsubShardchannels()).toEqual([]);
  }),
  pubsubShardnumsub: on(async (redis) => {
    expect(await redis.pubsubShardnumsub("a")).toEqual({ a: 0 });
  }),
  spublish: on(async (redis) => {
    expect(await redis.spublish("c", "m")).toBe(0);
  }),
};
