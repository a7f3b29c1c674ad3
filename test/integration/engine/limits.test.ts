import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { defaultLimits } from "../../../gateway/src/engine/embedded/limits.js";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { sharedByTests } from "../../support/lifetime.js";
import { RawClient } from "./raw-client.js";

const MB = 1024 * 1024;
let redis: RawClient;

const engine = sharedByTests(() =>
  startEmbeddedEngine({
    limits: { maxStringBytes: 2 * MB, maxReplyBytes: 8 * MB, maxMemoryBytes: 256 * MB, maxKeys: 500 },
  }),
);
beforeAll(() => {
  redis = new RawClient(engine.connect());
});

afterEach(() => redis.call("FLUSHALL"));

describe("limits of the embedded engine", () => {
  test.each([
    ["SETRANGE", "k", 3_000_000_000, "x"],
    ["SETRANGE", "k", 2 * MB, "x"],
    ["SETBIT", "k", 4_294_967_295, 1],
    ["BITFIELD", "k", "SET", "u8", 16 * MB, 1],
    ["BITFIELD", "k", "GET", "u8", 0, "OVERFLOW", "SAT", "INCRBY", "u8", `#${2 * MB}`, 1],
    ["EVAL", "return redis.call('SETRANGE', KEYS[1], 3000000000, 'x')", 1, "k"],
  ])("%s beyond the longest string is refused: %j %j %j", async (...args) => {
    await expect(redis.call(...args)).rejects.toThrow(/^ERR string exceeds maximum allowed size \(2 MB/);
    expect(await redis.call("EXISTS", "k")).toBe(0);
  });

  test("strings up to the limit work in every command", async () => {
    expect(await redis.call("SETRANGE", "k", 2 * MB - 1, "x")).toBe(2 * MB);
    expect(await redis.call("SETBIT", "k", 16 * MB - 1, 1)).toBe(0);
    expect(await redis.call("BITFIELD", "k", "SET", "u8", 16 * MB - 8, 1)).toEqual([121]);
    expect(await redis.call("BITFIELD", "k", "GET", "u8", 32 * MB)).toEqual([0]);
    expect(await redis.call("STRLEN", "k")).toBe(2 * MB);
  });

  test("APPEND stops at the longest string and leaves the value as it was", async () => {
    await redis.call("SET", "k", "x".repeat(MB));
    expect(await redis.call("APPEND", "k", "y".repeat(MB))).toBe(2 * MB);
    await expect(redis.call("APPEND", "k", "z")).rejects.toThrow(/maximum allowed size/);
    expect(await redis.call("STRLEN", "k")).toBe(2 * MB);
  });

  test("a command over the limit is an error in its place, and those around it get their replies", async () => {
    const replies = await Promise.allSettled([
      redis.call("SET", "a", "1"),
      redis.call("SET", "b", "x".repeat(3 * MB)),
      redis.call("MSET", "c", "x".repeat(1.5 * MB), "d", "x".repeat(1.5 * MB)),
      redis.call("GET", "a"),
    ]);
    expect(replies).toMatchObject([
      { value: "OK" },
      { reason: { message: "ERR command is larger than 2 MB, the embedded engine's limit" } },
      { reason: { message: "ERR command is larger than 2 MB, the embedded engine's limit" } },
      { value: "1" },
    ]);
    expect(await redis.call("EXISTS", "b", "c", "d")).toBe(0);
  });

  test("a transaction with a refused command is discarded whole", async () => {
    await redis.call("MULTI");
    await redis.call("SET", "a", "1");
    await expect(redis.call("SETRANGE", "k", 3_000_000_000, "x")).rejects.toThrow(/maximum allowed size/);
    await expect(redis.call("EXEC")).rejects.toThrow(/^EXECABORT/);
    await redis.call("MULTI");
    await redis.call("SET", "a", "1");
    await expect(redis.call("SET", "b", "x".repeat(3 * MB))).rejects.toThrow(/command is larger/);
    await expect(redis.call("EXEC")).rejects.toThrow(/^EXECABORT/);
    expect(await redis.call("EXISTS", "a", "b", "k")).toBe(0);
  });

  test("new keys are refused at the limit, and writes to existing ones and deletes are not", async () => {
    for (let index = 0; index < 500; index += 1) await redis.call("SET", `k${index}`, "v");
    await expect(redis.call("SET", "more", "v")).rejects.toThrow(/^OOM .*limit is 500 keys/);
    await expect(redis.call("LPUSH", "list", "v")).rejects.toThrow(/^OOM/);
    expect(await redis.call("SET", "k0", "w")).toBe("OK");
    expect(await redis.call("DEL", "k1")).toBe(1);
    expect(await redis.call("LPUSH", "list", "v")).toBe(1);
    expect(await redis.call("DBSIZE")).toBe(500);
  });

  test("writes are refused when memory is full, and work again once it is freed", async () => {
    const value = "x".repeat(1.5 * MB);
    let refused = "";
    for (let index = 0; index < 200 && refused === ""; index += 1) {
      await redis.call("SET", `k${index}`, value).catch((error: Error) => {
        refused = error.message;
      });
    }
    expect(refused).toMatch(/^OOM command not allowed when used memory > 256 MB/);
    await expect(redis.call("LPUSH", "list", value)).rejects.toThrow(/^OOM/);
    expect(await redis.call("STRLEN", "k0")).toBe(value.length);
    await redis.call("FLUSHALL");
    await expect
      .poll(() => redis.call("SET", "again", value).catch((error: Error) => error.message))
      .toBe("OK");
  });

  test("a value that is overwritten again and again does not count as used memory", async () => {
    const value = "x".repeat(1.5 * MB);
    for (let index = 0; index < 200; index += 1) expect(await redis.call("SET", "same", value)).toBe("OK");
  });

  test("replies that repeat a value are limited", async () => {
    const value = "x".repeat(MB);
    await redis.call("SET", "k", value);
    await redis.call("SADD", "s", value);
    await redis.call("HSET", "h", "f", value);
    const refused = /^ERR reply would exceed 8 MB/;
    await expect(redis.call("MGET", ...Array<string>(9).fill("k"))).rejects.toThrow(refused);
    await expect(redis.call("HMGET", "h", ...Array<string>(9).fill("f"))).rejects.toThrow(refused);
    await expect(redis.call("SRANDMEMBER", "s", -1_000_000_000)).rejects.toThrow(refused);
    await redis.call("ZADD", "z", 1, value);
    await expect(redis.call("ZRANDMEMBER", "z", -1_000_000_000)).rejects.toThrow(refused);
    await expect(redis.call("HRANDFIELD", "h", -9, "WITHVALUES")).rejects.toThrow(refused);
    await redis.call("RPUSH", "l", ...Array<string>(9).fill("k"));
    await expect(redis.call("SORT", "l", "ALPHA", "GET", "*")).rejects.toThrow(refused);
    await expect(redis.call("SORT", "l", "ALPHA", "GET", "*", "STORE", "d")).rejects.toThrow(refused);
    await redis.call("JSON.SET", "j", "$", JSON.stringify(value));
    await expect(redis.call("JSON.MGET", ...Array<string>(9).fill("j"), "$")).rejects.toThrow(refused);
    expect(await redis.call("MGET", "k", "k")).toEqual([value, value]);
    expect(await redis.call("HRANDFIELD", "h", -2, "WITHVALUES")).toEqual(["f", value, "f", value]);
    expect(await redis.call("HRANDFIELD", "h", -9)).toEqual(Array(9).fill("f"));
    expect(await redis.call("SORT", "l", "ALPHA", "LIMIT", 0, 2, "GET", "*")).toEqual([value, value]);
    expect(await redis.call("JSON.MGET", "j", "j", ".")).toEqual([`"${value}"`, `"${value}"`]);
    expect(await redis.call("SRANDMEMBER", "s", -2)).toEqual([value, value]);
  });

  test.each([
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, tostring) end",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
  ])("a script that takes too many steps ends, whatever it catches: %s", async (source) => {
    await expect(redis.call("EVAL", source, 0)).rejects.toThrow(/^ERR script took too many steps/);
  });

  test.each([
    ["cjson.decode", "return #cjson.decode(('['):rep(1000) .. (']'):rep(1000))", 1],
    [
      "cjson.encode",
      "local t = {} t.t = t return select(2, pcall(cjson.encode, t))",
      "Cannot serialise, excessive nesting (1001)",
    ],
    [
      "string.gsub",
      "local function f(n) return n == 0 and 'x' or (('a'):gsub('a', function() return f(n - 1) end)) end return f(150)",
      "x",
    ],
  ])("deeply nested calls of %s leave Lua intact", async (_name, source, result) => {
    for (let round = 0; round < 3; round += 1) {
      expect(await redis.call("EVAL", source, 0)).toBe(result);
      const later = `return cjson.encode({ 1, { a = cmsgpack.unpack(cmsgpack.pack('b')) } }) .. ('%d'):format(${round})`;
      expect(await redis.call("EVAL", later, 0)).toBe(`[1,{"a":"b"}]${round}`);
    }
  });

  test("a script that returns a table inside itself fails alone", async () => {
    await expect(redis.call("EVAL", "local t = {} t[1] = t return t", 0)).rejects.toThrow(/out of memory/);
    expect(await redis.call("EVAL", "return 1", 0)).toBe(1);
  });

  test("a script that uses up Lua's memory fails alone, and data and later scripts are unchanged", {
    tags: "full-run",
  }, async () => {
    await redis.call("SET", "k", "kept");
    const hungry = "local t = {} for i = 1, 1000000 do t[i] = string.rep('x', 100000) .. i end return 1";
    await expect(redis.call("EVAL", hungry, 0)).rejects.toThrow(/script ran out of memory/);
    expect(await redis.call("EVAL", "return redis.call('GET', KEYS[1])", 1, "k")).toBe("kept");
    const text = "y".repeat(MB);
    expect(await redis.call("EVAL", "return ARGV[1]", 0, text)).toBe(text);
  });

  test("what a script has written before it took too many steps remains", async () => {
    const endless = "redis.call('SET', KEYS[1], 'written') while true do end";
    await expect(redis.call("EVAL", endless, 1, "k")).rejects.toThrow(/too many steps/);
    expect(await redis.call("GET", "k")).toBe("written");
  });

  test("the page has the default limits", () => {
    const { maxMemoryBytes, maxKeys, maxStringBytes, maxReplyBytes, maxScriptSteps } = defaultLimits;
    expect(readFileSync("docs/embedded-engine.md", "utf8").match(/^\| [\d,]+ .*?\|/gm)).toEqual([
      `| ${maxMemoryBytes / MB} MB of memory, ${maxKeys.toLocaleString("en")} keys |`,
      `| ${maxStringBytes / MB} MB for one string or one command |`,
      `| ${maxReplyBytes / MB} MB for one reply that repeats a value, as of MGET, and for what SORT with GET stores |`,
      `| ${maxScriptSteps / 1_000_000} million Lua instructions in one script, and 64 MB of Lua's memory |`,
      "| 30 s without a sign of life |",
    ]);
  });
});
