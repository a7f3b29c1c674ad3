import { expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import { Redis } from "../../../src/index.js";
import { near } from "../../../src/near.js";
import { CliProcess } from "../cli/cli-process.js";

const TOKEN = "main";
const ROUNDS = 10;

test("a write through one worker removes what was read through another", {
  tags: "redis-server",
}, async () => {
  const server = await startRedis();
  const args = ["--redis", server.url, "--port", "0", "--token", TOKEN];
  const gateway = new CliProcess([...args, "--workers", "2", "--near-prefix", "near:"]);
  try {
    const url = (await gateway.printed(/^warmline-gateway ready (\S+)$/m))[1]!;
    const epochs = new Set<string>();
    const countEpochs = async () => {
      const headers = { authorization: `Bearer ${TOKEN}`, connection: "close", "warmline-near": "none" };
      const response = await fetch(`${url}/ping`, { headers });
      const epoch = /^(\w+):/.exec(response.headers.get("warmline-near") ?? "")?.[1];
      if (epoch) epochs.add(epoch);
      return epochs.size;
    };
    await expect.poll(countEpochs, { timeout: 10_000 }).toBe(2);
    // Each request has a connection of its own, and the workers get them in turn.
    const options = { url, token: TOKEN, keepAlive: false };
    const writer = new Redis(options);
    const redis = new Redis({ ...options, near: near({ match: "near:*", maxStale: 60_000 }) });
    const verified = redis.with({ near: "verify" });
    for (let i = 0; i < ROUNDS; i++) {
      await writer.set("near:a", i);
      for (let reads = 0; reads < 4; reads++) expect(await verified.get("near:a")).toBe(i);
    }
    const stats = redis.stats().near!;
    expect(stats.invalidated).toBeGreaterThanOrEqual(ROUNDS - 1);
    // Each worker reports a change once.
    expect(stats.verified).toBeGreaterThanOrEqual(ROUNDS);
  } finally {
    await gateway.stop();
    await server.stop();
  }
});
