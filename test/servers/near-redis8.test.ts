import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../../gateway/src/index.js";
import { Redis } from "../../src/index.js";
import { near } from "../../src/near.js";
import type { RedisServer } from "../../testbed/src/index.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

// Reads of vector sets and of hashes whose fields expire, with the reports of Redis 8.

describe("a near cache of types of Redis 8", NEEDS_SERVERS, () => {
  let server: RedisServer;
  let gateway: Gateway;
  let redis: Redis;
  let verified: Redis;
  /** The commands that reached Redis through the gateway, such as `VSIM near:v`. */
  let sent: string[] = [];
  beforeAll(async () => {
    server = await startRedis8();
    gateway = await createGateway({
      port: 0,
      redis: server.url,
      token: "main",
      logLevel: "silent",
      nearPrefix: ["near:"],
      onCommand: ({ name, keys }) => sent.push([name, ...keys].join(" ")),
    });
  });
  beforeEach(async () => {
    await server.command("FLUSHALL");
    await server.command("VADD", "near:v", "VALUES", "2", "1", "0", "a", "SETATTR", '{"n":1}');
    await server.command("VADD", "near:v", "VALUES", "2", "0", "1", "b");
    redis?.close();
    redis = new Redis({ url: gateway.url, token: "main", near: near({ match: "near:*", maxStale: 60_000 }) });
    verified = redis.with({ near: "verify" });
    // Earlier changes are reported before the test begins.
    await verified.get("near:none");
    sent = [];
  });
  afterAll(async () => {
    redis?.close();
    await gateway?.close();
    await server?.stop();
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

  test("a field of a hash is gone for reads that verify once Redis has removed it", async () => {
    await server.command("HSET", "near:h", "short", "1", "long", "1");
    await server.command("HPEXPIRE", "near:h", "3000", "FIELDS", "1", "short");
    expect(await redis.hgetall("near:h")).toEqual({ short: 1, long: 1 });
    await expect.poll(() => verified.hgetall("near:h")).toEqual({ long: 1 });
    expect(redis.stats().near!.verified).toBeGreaterThan(0);
    expect(redis.stats().near!.invalidated).toBeGreaterThan(0);
  });
});
