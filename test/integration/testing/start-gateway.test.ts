import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Redis } from "warmline";
import { startGateway, type TestGateway } from "warmline-gateway/testing";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";

async function start(...options: Parameters<typeof startGateway>): Promise<TestGateway> {
  return forTest(await startGateway(...options));
}

const clientOf = ({ url, token }: TestGateway) => new Redis({ url, token });

describe("startGateway", () => {
  test("startGateway returns a URL, a token and environment variables", async () => {
    const { url, token, env } = await start();
    const redis = new Redis({ url, token });
    expect(await redis.incr("n")).toBe(1);
    expect(env).toEqual({
      WARMLINE_URL: url,
      WARMLINE_TOKEN: token,
      UPSTASH_REDIS_REST_URL: url,
      UPSTASH_REDIS_REST_TOKEN: token,
      KV_REST_API_URL: url,
      KV_REST_API_TOKEN: token,
    });
  });

  test("a client takes the gateway itself as its options", async () => {
    const gateway = await start();
    expect(await new Redis(gateway).incr("n")).toBe(1);
    expect(await new Redis({ ...gateway, timeout: 5000 }).incr("n")).toBe(2);
    const { flush } = gateway;
    await flush();
    expect(await new Redis(gateway).dbsize()).toBe(0);
  });

  test("two gateways share nothing", async () => {
    const [one, other] = await Promise.all([start(), start()]);
    await clientOf(one).set("k", "one");
    expect(await clientOf(other).get("k")).toBeNull();
    expect(one.token).not.toBe(other.token);
  });

  test("flush removes keys and scripts, even if fetch is replaced", async () => {
    const gateway = await start();
    const redis = clientOf(gateway);
    await redis.mset({ a: 1, b: 2 });
    const digest = await redis.scriptLoad("return 1");
    vi.stubGlobal("fetch", () => {
      throw new Error("no network here");
    });
    await gateway.flush();
    expect(await redis.dbsize()).toBe(0);
    await expect(redis.evalsha(digest, [], [])).rejects.toThrow("NOSCRIPT");
  });

  test("flush leaves event streams open", async () => {
    const gateway = await start();
    const redis = clientOf(gateway);
    const subscription = redis.subscribe("channel");
    const message = new Promise((resolve) => subscription.on("message", resolve));
    await subscription.ready;
    await gateway.flush();
    await redis.publish("channel", "after");
    expect(await message).toMatchObject({ message: "after" });
    await subscription.unsubscribe();
  });

  test("it listens on 127.0.0.1 only", async () => {
    const { port, hostname } = new URL((await start()).url);
    expect(hostname).toBe("127.0.0.1");
    await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow("fetch failed");
  });

  test("engine: auto uses the redis-server on PATH", { tags: "redis-server" }, async () => {
    const gateway = await start({ engine: "auto" });
    expect(await clientOf(gateway).exec(["INFO", "server"])).toMatch(/^executable:.*server\r$/m);
  });

  test("a gateway that is not closed keeps the process alive", async () => {
    const source = `import { startGateway } from "warmline-gateway/testing";
      await startGateway();
      console.log("ready");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", source]);
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(child.exitCode).toBeNull();
    child.kill();
  });

  test("options reach the gateway", async () => {
    const { url, token } = await start({ token: "given", maxBodySize: 64 });
    expect(token).toBe("given");
    const redis = new Redis({ url, token, retry: false });
    await expect(redis.set("k", "x".repeat(100))).rejects.toThrow();
    expect(await redis.ping()).toBe("PONG");
  });

  test("seed fills the Redis at the start, and again at each flush", async () => {
    const seed = join(newFolder("testing"), "seed.redis");
    const library = "#!lua name=lib\nredis.register_function('one', function() return 1 end)";
    const lines = ["SET a 1", "RPUSH list x y", JSON.stringify(["FUNCTION", "LOAD", library])];
    writeFileSync(seed, lines.join("\n"));
    const gateway = await start({ seed });
    const redis = clientOf(gateway);
    expect(await redis.lrange("list", 0, -1)).toEqual(["x", "y"]);
    await redis.mset({ a: 2, b: 2 });
    await gateway.flush();
    expect([await redis.get("a"), await redis.exists("b"), await redis.llen("list")]).toEqual([1, 0, 2]);
    writeFileSync(seed, "INCR\n");
    await expect(startGateway({ seed })).rejects.toThrow(`seed: ${seed}: line 1: INCR failed`);
    await expect(startGateway({ seed: join(seed, "none") })).rejects.toThrow(/^seed: /);
  });

  test.each([
    ["redis", "redis://127.0.0.1:1"],
    ["persist", "data"],
  ])("the option %s is refused, since flush would delete its data", async (name, value) => {
    const options = { [name]: value } as Parameters<typeof startGateway>[0];
    await expect(startGateway(options)).rejects.toThrow(`${name}: must not be set`);
  });

  test("an invalid option is refused", async () => {
    await expect(startGateway({ port: -1 })).rejects.toThrow(/^port: /);
  });

  test("close can be called twice, and calls after it fail", async () => {
    const gateway = await start();
    const redis = new Redis({ url: gateway.url, token: gateway.token, retry: false });
    await redis.set("k", 1);
    await Promise.all([gateway.close(), gateway.close()]);
    await expect(redis.get("k")).rejects.toThrow("GET");
    await expect(gateway.flush()).rejects.toThrow("not running");
  });
});
