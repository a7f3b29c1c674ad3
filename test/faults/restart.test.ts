import { afterEach, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import {
  freePorts,
  type GatewayProcess,
  startGatewayProcess,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { pause } from "./support/rig.js";

// A gateway that is replaced while a function is frozen, before its next write.

const TOKEN = "chaos-token";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...args: string[]): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ args: ["--token", TOKEN, ...args] });
  closing.push(() => gateway.stop());
  return gateway;
}

describe("a graceful restart during a freeze", { timeout: 120_000 }, () => {
  /** A client whose connection is idle while the gateway is replaced, and the flow of the connection is dropped or not. */
  async function restart(drops: boolean, args: readonly string[]) {
    const [port] = (await freePorts(1)) as [number];
    const before = await startGatewayProcess({ args: ["--token", TOKEN, "--port", String(port), ...args] });
    closing.push(() => before.stop());
    const path = await startNetworkProxy({ to: { port } });
    closing.push(() => path.close());
    const redis = new Redis({ url: path.url, token: TOKEN, timeout: 8_000 });
    // It offers numbers once it knows that it is alone.
    const offered = async () =>
      (await fetch(`http://127.0.0.1:${port}/health`)).headers.has("warmline-instance");
    await expect.poll(offered).toBe(true);
    const key = `restart:${Math.random()}`;
    const count = Number(await redis.incr(key));
    if (drops) path.blackholeAll();
    await before.stop();
    const after = await start("--port", String(port), ...args);
    expect(after.port).toBe(port);
    await pause(1_100);
    const value = await redis.incr(key);
    redis.close();
    return value - count;
  }

  test.each([true, false])(
    "the next write is applied once, on a shared Redis: %s",
    { tags: "redis-server" },
    async (drops) => {
      const server = await startRedis({ listen: "tcp" });
      closing.push(() => server.stop());
      expect(await restart(drops, ["--redis", server.url])).toBe(1);
    },
  );

  test.each([true, false])("the next write is applied once, on its own engine: %s", async (drops) => {
    // The engine keeps nothing.
    expect(await restart(drops, ["--engine", "embedded"])).toBe(0);
  });
});
