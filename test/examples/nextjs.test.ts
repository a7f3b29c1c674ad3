import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Redis } from "warmline";
import { freePorts } from "warmline-testbed";
import { run } from "../support/packages/run.js";
import { type Served, serve, useExample } from "./support/example.js";

const example = useExample("nextjs");

const next = "node_modules/next/dist/bin/next";
// No network: no telemetry is sent.
const quiet = { NEXT_TELEMETRY_DISABLED: "1", WARMLINE_URL: undefined, WARMLINE_TOKEN: undefined };

let output = "";
beforeAll(async () => {
  const printed = await run("node", [next, "build"], example.folder, quiet, 280_000);
  // On a CI machine, Next.js warns that there is no cache of an earlier build.
  output = printed.replace(/.*No build cache found.*/, "");
}, 300_000);

test("the app builds without an environment and without a warning", () => {
  expect(output).toContain("Compiled successfully");
  expect(output).not.toMatch(/compiled with warnings|Module not found|⚠/i);
});

test("a page that reads Redis is dynamic, unless `cache` allows caching it", () => {
  const manifest = readFileSync(join(example.folder, ".next/prerender-manifest.json"), "utf8");
  const { routes } = JSON.parse(manifest) as {
    routes: Record<string, { initialRevalidateSeconds: number | false }>;
  };
  expect(Object.keys(routes)).not.toContain("/");
  expect(Object.keys(routes)).not.toContain("/api/visits");
  expect(routes["/cached"]!.initialRevalidateSeconds).toBe(5);
});

test("the page, server action, route handler and cached data work", { timeout: 120_000 }, async () => {
  const redis = new Redis({ url: example.env.WARMLINE_URL, token: example.env.WARMLINE_TOKEN });
  await redis.flushall();
  const [port] = await freePorts(1);
  const env = { ...example.env, NEXT_TELEMETRY_DISABLED: "1" };
  const args = [next, "start", "--hostname", "127.0.0.1", "--port", String(port)];
  let served: Served | undefined;
  try {
    served = await serve("node", args, { folder: example.folder, env });
    const url = `http://127.0.0.1:${port}`;
    const page = async (path = "/") => (await fetch(url + path)).text();
    await expect.poll(() => page().then(Boolean, () => false), { timeout: 30_000 }).toBe(true);
    const visits = async () => Number(/<p id="visits">(\d+)<\/p>/.exec(await page())![1]);
    const seen = await visits();
    expect(await visits()).toBe(seen + 1);
    expect(await (await fetch(`${url}/api/visits`)).json()).toEqual({ visits: seen + 1 });

    // The form as a browser without scripts sends it.
    const form = new FormData();
    for (const [, name, value] of (await page()).matchAll(
      /<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g,
    )) {
      form.set(name!, (value ?? "").replaceAll("&quot;", '"'));
    }
    form.set("note", "buy milk");
    for (let i = 0; i < 2; i++) await fetch(url, { method: "POST", body: form });
    expect(await redis.lrange("notes", 0, -1)).toEqual(["buy milk"]);
    expect(await page()).toContain("<li>buy milk</li>");

    expect(await page("/cached")).toContain("no news");
    await redis.set("news", "it rains");
    await expect.poll(() => page("/cached"), { timeout: 60_000, interval: 1_000 }).toContain("it rains");
  } finally {
    await served?.stop();
    redis.close();
  }
});
