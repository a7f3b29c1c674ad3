import { expect, test } from "vitest";
import { warmlineConnector } from "warmline/ioredis";
import { carries, loseReply, onRequest, startNetworkProxy } from "warmline-testbed";
import { createGateway } from "../../gateway/src/index.js";
import { describeEntries } from "../support/entries.js";
import { forTest, sharedByTests } from "../support/lifetime.js";
import { IORedis } from "../support/redis-clients.js";

// Writes with numbers, through one gateway that has its own engine.

const gateway = sharedByTests(() => createGateway({ engine: "embedded", port: 0 }));
const path = sharedByTests(() => startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));

/** Loses the reply to the next request that carries `text`. Returns a function that counts the requests that carry it. */
function loseNext(text: string, leave: "close" | "reset"): () => number {
  let count = 0;
  const fault = onRequest((exchange) => carries(text)(exchange) && count++ === 0, loseReply({ leave }));
  for (const each of path.connections) each.close();
  path.onConnection(() => fault);
  return () => count;
}

describeEntries((Client) => {
  const create = () => new Client({ url: path.url, token: gateway.token });

  test.each(["close", "reset"] as const)("a lost INCR counts once and adds no key: %s", async (leave) => {
    const redis = create();
    await redis.flushall();
    for (let i = 1; i <= 20; i++) {
      const requests = loseNext("INCR", leave);
      expect(await redis.incr("n")).toBe(i);
      // The reply to the first one was lost.
      expect(requests()).toBeGreaterThanOrEqual(1);
    }
    expect(await redis.dbsize()).toBe(1);
  });

  test("a batch, a pipeline and a transaction whose replies are lost are applied once", async () => {
    const redis = create();
    await redis.flushall();
    loseNext("INCR", "reset");
    expect(await Promise.all([redis.incr("n"), redis.get("n"), redis.incr("n")])).toEqual([1, 1, 2]);
    loseNext("INCR", "reset");
    expect(await redis.pipeline().incr("n").get("n").exec()).toEqual([3, 3]);
    loseNext("INCR", "reset");
    expect(await redis.multi().incr("n").incr("n").exec()).toEqual([4, 5]);
  });

  test("an at-least-once write with a number is applied once", async () => {
    const redis = create().with({ writes: "at-least-once" });
    await redis.flushall();
    loseNext("INCR", "reset");
    expect(await redis.incr("n")).toBe(1);
    loseNext("INCR", "close");
    expect(await redis.pipeline().incr("n").get("n").exec()).toEqual([2, 2]);
  });

  test("a blocking command and a long one have no number, so their outcome is unknown", async () => {
    const redis = create();
    await redis.flushall();
    await redis.rpush("list", "a", "b");
    loseNext("BLPOP", "reset");
    await expect(redis.blpop("list", 1)).rejects.toMatchObject({ outcome: "unknown" });
    loseNext("APPEND", "reset");
    await expect(redis.append("long", "x".repeat(70_000))).rejects.toMatchObject({ outcome: "unknown" });
  });
});

test("an INCR of ioredis whose reply is lost resolves with the right count, alone, in a pipeline and in a transaction", async () => {
  const redis = new IORedis({ Connector: warmlineConnector({ url: path.url, token: gateway.token }) });
  forTest({ close: () => redis.disconnect() });
  await redis.flushall();
  loseNext("INCR", "reset");
  expect(await redis.incr("n")).toBe(1);
  loseNext("INCR", "close");
  expect(await redis.pipeline().incr("n").get("n").exec()).toEqual([
    [null, 2],
    [null, "2"],
  ]);
  loseNext("INCR", "reset");
  expect(await redis.multi().incr("n").incr("n").exec()).toEqual([
    [null, 3],
    [null, 4],
  ]);
  expect(await redis.dbsize()).toBe(1);
});
