import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Redis, UnknownOutcomeError } from "warmline";
import {
  type FakeAction,
  type FakeCommand,
  type FakeRedis,
  freePorts,
  type GatewayProcess,
  startFakeRedis,
  startGatewayProcess,
  startNetworkProxy,
} from "warmline-testbed";
import { pause } from "./support/rig.js";

// Replies lost between the gateway and Redis: the outcome that the gateway reports reaches the client.

let fake: FakeRedis;
let gateway: GatewayProcess;
let redis: Redis;
beforeEach(async () => {
  fake = await startFakeRedis();
  gateway = await startGatewayProcess({ args: ["--redis", fake.url] });
  redis = new Redis({
    url: gateway.url,
    token: gateway.token,
    codec: "text",
    retry: { retries: 5, backoff: () => 20 },
  });
  await redis.get("warm");
});
afterEach(async () => {
  redis.close();
  await gateway.stop();
  await fake.close();
});

/** The fault affects the first `times` commands of the name. */
function befall(name: string, times: number, action: FakeAction): void {
  let left = times;
  fake.script((command: FakeCommand) => (command.name === name && left-- > 0 ? action : undefined));
}

describe.each([1, 5])("%i replies lost", (times) => {
  test.each(["close", "reset", { cut: 1 }] as const)(
    "incr is applied once with an unknown outcome, and get is repeated, after a loss by %j",
    async (action) => {
      befall("INCR", times, action);
      const error = await redis.incr("n").catch((thrown) => thrown);
      expect(error).toBeInstanceOf(UnknownOutcomeError);
      expect(error.outcome).toBe("unknown");
      expect(fake.count("INCR")).toBe(1);
      befall("GET", times, action);
      expect(await redis.get("n")).toBe("1");
      expect(fake.count("GET")).toBe(1 + times + 1);
    },
  );
});

test("writes of a long pipeline that may be repeated are repeated in their order", async () => {
  let lost = false;
  fake.script(({ args }) => {
    if (lost || args[2] !== "400") return undefined;
    lost = true;
    return "close";
  });
  const pipeline = redis.with({ writes: "at-least-once" }).pipeline();
  for (let at = 0; at < 1_600; at++) pipeline.set("key", at);
  expect(await pipeline.exec()).toEqual(Array(1_600).fill("OK"));
  expect(lost).toBe(true);
  expect(await redis.get("key")).toBe("1599");
});

test("a reply after the gateway's timeout is an unknown outcome, and is never another command's", async () => {
  const hasty = await startGatewayProcess({ args: ["--redis", fake.url, "--command-timeout", "500ms"] });
  const client = new Redis({ url: hasty.url, token: hasty.token, codec: "text" });
  befall("INCR", 1, { late: 700 });
  await expect(client.incr("n")).rejects.toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown" });
  expect(fake.count("INCR")).toBe(1);
  expect(await client.get("warm")).toBe(null);
  expect(await client.get("n")).toBe("1");
  client.close();
  await hasty.stop();
});

test("nothing is sent while Redis can't be reached, and each command once afterwards", async () => {
  const [port] = await freePorts(1);
  const path = await startNetworkProxy({ to: { port: fake.port }, protocol: "raw", port: port! });
  const before = await startGatewayProcess({ args: ["--redis", `redis://127.0.0.1:${path.port}`] });
  const client = new Redis({
    url: before.url,
    token: before.token,
    codec: "text",
    enableAutoPipelining: false,
    timeout: 10_000,
  });
  expect(await client.incr("n")).toBe(1);
  await path.refuse();
  for (const connection of path.connections) connection.resetClient();
  // Until the gateway has detected the close, its writes have an unknown outcome.
  await expect.poll(() => before.health().catch(({ message }) => message)).toMatch(/responded 503/);
  const waiting = [client.incr("n"), client.get("n")];
  await pause(600);
  expect(fake.count("INCR")).toBe(1);
  await path.accept();
  expect(await waiting[0]).toBe(2);
  expect(await waiting[1]).toMatch(/[12]/);
  expect(fake.count("INCR")).toBe(2);
  client.close();
  await before.stop();
  await path.close();
});
