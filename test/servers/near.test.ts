import { beforeEach, describe, expect, test } from "vitest";
import { createGateway, type TracedCommand } from "../../gateway/src/index.js";
import { Redis } from "../../src/index.js";
import { near } from "../../src/near.js";
import { forTest, sharedByTests } from "../support/lifetime.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

// Reads of JSON documents, vector sets and hashes whose fields expire, through a near cache.

describe("a near cache on Redis 8.2 with RedisJSON 2.8", NEEDS_SERVERS, () => {
  let redis: Redis;
  let verified: Redis;
  /** The commands that reached Redis through the gateway, such as `JSON.GET near:doc`. */
  let sent: string[] = [];
  const server = sharedByTests(() => startRedis8("rejson"));
  const gateway = sharedByTests(() => {
    const onCommand = ({ name, keys }: TracedCommand) => sent.push([name, ...keys].join(" "));
    const options = { port: 0, redis: server.url, token: "main", logLevel: "silent" } as const;
    return createGateway({ ...options, nearPrefix: ["near:"], onCommand });
  });
  beforeEach(async () => {
    await server.command("FLUSHALL");
    await server.command("JSON.SET", "near:doc", "$", JSON.stringify(document));
    await server.command("JSON.SET", "near:other", "$", '{"n":7}');
    const cache = near({ match: "near:*", maxStale: 60_000 });
    redis = forTest(new Redis({ url: gateway.url, token: "main", near: cache }));
    verified = redis.with({ near: "verify" });
    // The changes of both keys are reported before the test begins.
    await verified.get("near:none");
    sent = [];
  });

  const document = { n: 1, text: "a", list: [1], on: true, rest: { k: 1 } };
  const reads: Record<string, [read: (redis: Redis) => Promise<unknown>, expected: unknown]> = {
    "JSON.GET": [(client) => client.json.get("near:doc", "$"), [document]],
    "JSON.GET of a path": [(client) => client.json.get("near:doc", "$.rest.k"), [1]],
    "JSON.GET of a missing key": [(client) => client.json.get("near:missing", "$"), null],
    "JSON.MGET": [(client) => client.json.mget(["near:doc", "near:other"], "$.n"), [[1], [7]]],
    "JSON.STRLEN": [(client) => client.json.strlen("near:doc", "$.text"), [1]],
    "JSON.ARRLEN": [(client) => client.json.arrlen("near:doc", "$.list"), [1]],
    "JSON.OBJKEYS": [(client) => client.json.objkeys("near:doc", "$.rest"), [["k"]]],
    "JSON.TYPE": [(client) => client.json.type("near:doc", "$.on"), ["boolean"]],
  };

  test.each(Object.entries(reads))("%s is read from memory, as a copy", async (_, [read, expected]) => {
    const first = await read(redis);
    expect(first).toEqual(expected);
    const count = sent.length;
    expect(count).toBeGreaterThan(0);
    if (Array.isArray(first)) first.push("changed");
    expect(await read(redis)).toEqual(expected);
    expect(sent).toHaveLength(count);
    expect(await read(verified)).toEqual(expected);
    expect(sent.slice(count)).toEqual(["PING"]);
  });

  test.each([
    ["JSON.SET", ["near:doc", "$.n", "2"]],
    ["JSON.MSET", ["near:other", "$.n", "8", "near:doc", "$.n", "2"]],
    ["JSON.MERGE", ["near:doc", "$", '{"n":2}']],
    ["JSON.NUMINCRBY", ["near:doc", "$.n", "1"]],
    ["JSON.NUMMULTBY", ["near:doc", "$.n", "2"]],
    ["JSON.STRAPPEND", ["near:doc", "$.text", '"b"']],
    ["JSON.ARRAPPEND", ["near:doc", "$.list", "2"]],
    ["JSON.ARRINSERT", ["near:doc", "$.list", "0", "0"]],
    ["JSON.ARRPOP", ["near:doc", "$.list"]],
    ["JSON.ARRTRIM", ["near:doc", "$.list", "1", "1"]],
    ["JSON.CLEAR", ["near:doc", "$.rest"]],
    ["JSON.TOGGLE", ["near:doc", "$.on"]],
    ["JSON.DEL", ["near:doc", "$.rest"]],
    ["JSON.FORGET", ["near:doc"]],
    ["RENAME", ["near:other", "near:doc"]],
    ["DEL", ["near:doc"]],
  ])("a change by %s past the gateway is seen by a verified read and later ones", async (name, args) => {
    expect(await redis.json.get("near:doc", "$")).toEqual([document]);
    expect(await verified.json.mget(["near:doc", "near:other"], "$.n")).toEqual([[1], [7]]);
    await server.command(name, ...args);
    const current = JSON.parse(String(await server.command("JSON.GET", "near:doc", "$")));
    expect(current).not.toEqual([document]);
    expect(await verified.json.get("near:doc", "$")).toEqual(current);
    sent = [];
    expect(await redis.json.get("near:doc", "$")).toEqual(current);
    expect(sent).toEqual([]);
    expect(await redis.json.mget(["near:doc", "near:other"], "$.n")).toEqual(
      await redis.with({ near: false }).json.mget(["near:doc", "near:other"], "$.n"),
    );
  });

  test("a client's own write is seen by its next read", async () => {
    expect(await redis.json.get("near:doc", "$.n")).toEqual([1]);
    await redis.json.numincrby("near:doc", "$.n", 1);
    expect(await redis.json.get("near:doc", "$.n")).toEqual([2]);
    expect(redis.stats().near!.hits).toBe(0);
  });

  test.each([
    ["VADD", ["VADD", "near:v", "VALUES", "2", "1", "1", "c"]],
    ["VREM", ["VREM", "near:v", "b"]],
    ["VSETATTR", ["VSETATTR", "near:v", "a", '{"n":2}']],
    ["DEL", ["DEL", "near:v"]],
  ])("reads of a vector set are answered from memory until %s changes it", async (_name, change) => {
    const read = async (client: Redis) => [
      await client.vsim("near:v", [1, 0]),
      await client.vcard("near:v"),
      await client.vgetattr("near:v", "a"),
    ];
    await server.command("VADD", "near:v", "VALUES", "2", "1", "0", "a", "SETATTR", '{"n":1}');
    await server.command("VADD", "near:v", "VALUES", "2", "0", "1", "b");
    await verified.vcard("near:v");
    const first = await read(redis);
    expect(first).toEqual([["a", "b"], 2, { n: 1 }]);
    sent = [];
    expect(await read(redis)).toEqual(first);
    expect(sent).toEqual([]);
    await server.command(...(change as [string]));
    const current = await read(redis.with({ near: false }));
    expect(current).not.toEqual(first);
    expect(await read(verified)).toEqual(current);
  });

  test("a read that verifies no longer returns a hash field that has expired", async () => {
    await server.command("HSET", "near:h", "short", "1", "long", "1");
    await server.command("HPEXPIRE", "near:h", "3000", "FIELDS", "1", "short");
    expect(await redis.hgetall("near:h")).toEqual({ short: 1, long: 1 });
    await expect.poll(() => verified.hgetall("near:h")).toEqual({ long: 1 });
    expect(redis.stats().near!.verified).toBeGreaterThan(0);
    expect(redis.stats().near!.invalidated).toBeGreaterThan(0);
  });
});
