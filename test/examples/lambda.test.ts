import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { Redis } from "warmline";
import { blackhole, startInstance, startNetworkProxy } from "warmline-testbed";
import { forTest } from "../support/lifetime.js";
import { run } from "../support/packages/run.js";
import { useExample } from "./support/example.js";

const example = useExample("lambda");
beforeAll(async () => {
  await run("npm", ["run", "build"], example.folder);
}, 120_000);

test("one bundled file keeps one connection over freezes", async () => {
  const { folder, env } = example;
  expect(readdirSync(join(folder, "dist"))).toEqual(["handler.mjs"]);
  // Only that file is deployed.
  rmSync(join(folder, "node_modules"), { recursive: true });
  const redis = forTest(new Redis({ url: env.WARMLINE_URL, token: env.WARMLINE_TOKEN }));
  const instance = forTest(await startInstance({ handler: join(folder, "dist/handler.mjs"), env }));
  const invoke = async () => (await instance.invoke({})).result;
  expect(await invoke()).toEqual({ statusCode: 200, body: "hello, stranger" });
  await redis.set("greeting", "good morning");
  for (let i = 0; i < 3; i++) {
    await instance.freeze();
    await instance.thaw();
    expect(await invoke()).toEqual({ statusCode: 200, body: "good morning" });
  }
  // This test's client has one connection, and the number below counts it.
  expect(redis.stats().opened).toBe(1);
  const metrics = await fetch(`${env.WARMLINE_URL}/metrics`, {
    headers: { authorization: `Bearer ${env.WARMLINE_TOKEN}` },
  });
  // The connections of the function, of this test, and of the one that reads the number.
  expect(await metrics.text()).toMatch(/^warmline_gateway_connections_opened_total 3$/m);
});

test("a call to a silent server ends before the time of its function", async () => {
  const proxy = forTest(await startNetworkProxy({ to: { port: Number(new URL(example.gateway.url).port) } }));
  proxy.onConnection(() => blackhole("open"));
  vi.stubEnv("WARMLINE_URL", proxy.url);
  vi.stubEnv("WARMLINE_TOKEN", example.env.WARMLINE_TOKEN);
  const { handler } = await import(join(example.folder, "dist/handler.mjs"));
  const context = { getRemainingTimeInMillis: () => 150 };
  await expect(handler({}, context)).rejects.toThrow(/^GET: no response within (\d\d?|1[0-4]\d) ms/);
});
