import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { idempotent } from "warmline/idempotent";
import { follow, produce } from "warmline/streams";
import { type RedisCluster, startCluster } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { migrate } from "./migrate.js";
import { gatewayAt, slotOf } from "./support.js";

// Followers of streams, scopes and leases on a cluster.

describe("streams and scopes on a cluster", { tags: "redis-server" }, () => {
  let cluster: RedisCluster;
  let gateway: Gateway;
  let redis: Redis;
  beforeAll(async () => {
    cluster = await startCluster({ nodeTimeoutMs: 10_000 });
    gateway = await gatewayAt(cluster.url);
    redis = new Redis({ url: gateway.url, token: gateway.token, retry: { retries: 50 } });
  });
  afterAll(async () => {
    await gateway?.close();
    await cluster?.stop();
  });

  test("followers get every entry once and in order while the slots of their streams move", async () => {
    const keys = ["a", "b", "c", "d", "e", "f"];
    const collected = keys.map(async (key) => {
      const values: unknown[] = [];
      for await (const { fields } of follow(redis, key)) values.push(fields.n);
      return values;
    });
    let moving = true;
    let written = 0;
    const writers = keys.map((key) => produce(redis, key).getWriter());
    const writing = (async () => {
      while (moving || written < 100) {
        written++;
        for (const writer of writers) await writer.write({ n: written });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      for (const writer of writers) await writer.close();
    })();
    const primaries = cluster.nodes.slice(0, 3);
    for (const key of keys) {
      const slot = slotOf(key);
      const from = primaries[Math.min(2, Math.floor(slot / 5_461.5))]!;
      const to = primaries.find((node) => node !== from)!;
      await migrate(from, to, [slot], primaries);
    }
    moving = false;
    await writing;
    const expected = Array.from({ length: written }, (_, n) => n + 1);
    for (const values of await Promise.all(collected)) expect(values).toEqual(expected);
  }, 60_000);

  test("a scope covers keys in any slots", async () => {
    const run = async () => {
      const scoped = redis.with({ writes: "exactly-once", scope: "event" });
      return Promise.all(["n1", "n2", "{n3}x", "n4}"].map((key) => scoped.incr(key)));
    };
    expect(await run()).toEqual([1, 1, 1, 1]);
    expect(await run()).toEqual([1, 1, 1, 1]);
  });

  test("strict scopes and idempotent functions need the hash tag of the keys", async () => {
    const strict = (scope: string) => redis.with({ writes: "exactly-once", scope, strict: true });
    expect(await strict("{order:1}").incr("{order:1}:n")).toBe(1);
    await expect(strict("other").incr("{order:1}:n")).rejects.toMatchObject({ code: "CROSSSLOT" });
    const run = (key: string) => idempotent(redis, key, (guarded) => guarded.incr("{order:2}:n"));
    expect([await run("{order:2}"), await run("{order:2}")]).toEqual([1, 1]);
    await expect(run("other")).rejects.toMatchObject({ code: "CROSSSLOT" });
  });
});
