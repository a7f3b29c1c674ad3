import { beforeEach, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import type { TracedCommand } from "warmline-gateway";
import { startGateway } from "warmline-gateway/testing";
import { forTest, sharedByTests } from "../../support/lifetime.js";

describe("onCommand", () => {
  const seen: TracedCommand[] = [];
  const gateway = sharedByTests(() => startGateway({ onCommand: (command) => seen.push(command) }));
  const redis = sharedByTests(
    async () => new Redis({ url: gateway.url, token: gateway.token, retry: false }),
  );
  beforeEach(async () => {
    await gateway.flush();
    seen.length = 0;
  });

  const traced = () =>
    seen.map(({ name, keys, error }) => [name, ...keys, ...(error ? [error] : [])].join(" "));

  test("onCommand gets single commands, batches and transactions: names and keys in order", async () => {
    await redis.set("a", "secret");
    await redis.pipeline().hset("h", { secret: "secret" }).mget("a", "b").exec();
    await redis.multi().incr("n").rpush("l", "secret").exec();
    await redis.eval("return ARGV[1]", ["k1", "k2"], ["secret"]);
    expect(traced()).toEqual(["SET a", "HSET h", "MGET a b", "INCR n", "RPUSH l", "EVAL k1 k2"]);
    expect(seen.map(({ transaction }) => transaction)).toEqual([false, false, false, true, true, false]);
    for (const { ms } of seen) expect(ms).toBeGreaterThan(0);
    expect(JSON.stringify(seen)).not.toContain("secret");
  });

  test("onCommand gets the code of an error, and blocking commands", async () => {
    await redis.set("a", "secret");
    await redis.incr("a").catch(() => {});
    await redis
      .multi()
      .lpush("a", "secret")
      .exec()
      .catch(() => {});
    await redis.exec(["BLPOP", "none", "0.01"]);
    await redis.exec(["secret-word", "secret"]).catch(() => {});
    expect(traced()).toEqual(["SET a", "INCR a ERR", "LPUSH a", "BLPOP none", "(unknown) ERR"]);
    expect(JSON.stringify(seen)).not.toContain("secret");
  });

  test("onCommand gets keys as text, whatever their bytes are", async () => {
    await redis.set("clé", 1);
    await redis.set(new Uint8Array([255, 97]), 1);
    expect(traced()).toEqual(["SET clé", "SET \ufffda"]);
  });

  test("an error thrown by onCommand does not affect the request", async () => {
    const other = forTest(
      await startGateway({
        onCommand: () => {
          throw new Error("mine");
        },
      }),
    );
    expect(await new Redis({ url: other.url, token: other.token }).incr("n")).toBe(1);
  });
});
