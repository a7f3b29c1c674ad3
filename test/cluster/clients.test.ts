import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { type RedisCluster, startCluster } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { embeddedEngine } from "../integration/gateway/engines.js";
import * as reference from "../integration/parity/examples.js";
import { importSwapped } from "../integration/parity/swapped.js";
import { migrate } from "./migrate.js";
import { gatewayAt, keyOfEachSlot } from "./support.js";

// Both clients on a real cluster, through the gateway, which give what the reference gives on one server.

/** Examples with a command over several keys without a common hash tag, which a cluster can't run. */
const SEVERAL_SLOTS = new Set([
  "several keys at once",
  "finding and moving elements",
  "sets",
  "sorted sets put together",
  "keys",
  "bits and estimates",
  "places",
  "streams",
  "a transaction",
]);

const clients: [string, typeof reference][] = [
  ["@upstash/redis", reference],
  ["warmline", await importSwapped(join(import.meta.dirname, "../integration/parity/examples.ts"))],
];

describe("on a cluster", { tags: "redis-server" }, () => {
  let cluster: RedisCluster;
  let gateway: Gateway;
  const keys = keyOfEachSlot().filter((_, slot) => slot % 128 === 5);
  /** What each example gives with the reference on the embedded engine. */
  const gives = new Map<string, unknown>();
  beforeAll(async () => {
    cluster = await startCluster();
    gateway = await gatewayAt(cluster.url);
    const single = await embeddedEngine.start();
    const redis = reference.connect(single.gateway.url, single.gateway.token);
    for (const { name, run } of reference.examples) {
      await redis.flushall();
      gives.set(name, await run(redis));
    }
    await single.stop();
  });
  afterAll(async () => {
    await gateway?.close();
    await cluster?.stop();
  });

  describe.each(clients)("%s", (_client, { connect, examples }) => {
    test.each(examples.map((example) => [example.name, example] as const))(
      "the example runs: %s",
      async (name, { run }) => {
        const redis = connect(gateway.url, gateway.token);
        await redis.flushall();
        const came = await run(redis).catch((error: Error) => error);
        if (SEVERAL_SLOTS.has(name)) expect(String(came)).toMatch(/CROSSSLOT/);
        else expect(came).toEqual(gives.get(name));
      },
    );
  });

  test("exactly-once writes count once over all nodes, while slots move", async () => {
    const redis = new Redis({
      url: gateway.url,
      token: gateway.token,
      writes: "exactly-once",
      codec: "text",
    });
    await redis.with({ writes: "at-most-once" }).flushall();
    const [first, second, third] = cluster.nodes;
    let rounds = 0;
    let moving = true;
    const work = (async () => {
      for (; moving || rounds < 20; rounds++) await Promise.all(keys.map((key) => redis.incr(key)));
    })();
    await migrate(first!, second!, [5, 133, 261, 389, 517], [first!, second!, third!]).finally(() => {
      moving = false;
    });
    await work;
    expect(await redis.mget(...keys)).toEqual(keys.map(() => String(rounds)));
    redis.close();
  }, 60_000);
});
