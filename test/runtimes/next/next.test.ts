import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Redis } from "warmline";
import { createGateway, type Gateway } from "warmline-gateway";
import { freePorts } from "warmline-testbed";
import { NEXT, type Served, serve } from "../../examples/support/example.js";
import { preinstall } from "../../support/packages/preinstall.js";
import { run } from "../../support/packages/run.js";
import { folder } from "../support/suite.js";

// Next.js puts a cache into `fetch`, and renders pages once, while it builds, if they read nothing that changes. Whether a
// command was sent is what Redis has counted.

/** The routes of `app`, and the names of their counters. */
const ROUTES = ["api/edge", "api/node", "edge-page", "node-page", "node-entry"];

/** The three majors in use. The first one caches more. */
const VERSIONS = [
  ["next@14.2.35", "react@18.3.1", "react-dom@18.3.1"],
  ["next@15.5.9", "react@19.2.0", "react-dom@19.2.0"],
  NEXT,
];

describe.each(VERSIONS)("%s", (...packages) => {
  let gateway: Gateway;
  let redis: Redis;
  let served: Served;
  const app = mkdtempSync(join(tmpdir(), "warmline-next-"));
  beforeAll(async () => {
    gateway = await createGateway({ engine: "embedded", port: 0 });
    redis = new Redis({ url: gateway.url, token: gateway.token });
    await redis.set("k", "first");
    cpSync(join(import.meta.dirname, "app"), join(app, "app"), { recursive: true });
    writeFileSync(join(app, "package.json"), '{"private":true}');
    await preinstall(app, packages);
    cpSync(join(folder, "node_modules/warmline"), join(app, "node_modules/warmline"), { recursive: true });
    const env = {
      ...{ WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token },
      // No network: no telemetry is sent.
      NEXT_TELEMETRY_DISABLED: "1",
    };
    const next = join(app, "node_modules/next/dist/bin/next");
    await run("node", [next, "build"], app, env, 280_000);
    const port = String((await freePorts(1))[0]);
    served = await serve("node", [next, "start", "--hostname", "127.0.0.1", "--port", port], {
      folder: app,
      env,
    });
    const isUp = () => fetch(served.url).then(Boolean, () => false);
    await vi.waitUntil(isUp, { timeout: 60_000 });
  }, 700_000);
  afterAll(async () => {
    await served?.stop();
    redis?.close();
    await gateway?.close();
    rmSync(app, { recursive: true, force: true, maxRetries: 5 });
  });

  test.each(ROUTES)("each request of %s reads and writes Redis", { timeout: 120_000 }, async (route) => {
    const get = async () => {
      const text = await (await fetch(`${served.url}/${route}`)).text();
      const [, found, count] = /\["(\w+)",(\d+)\]/.exec(text.replaceAll("&quot;", '"'))!;
      return [found, Number(count)];
    };
    const counter = route.startsWith("api") ? `${route.slice(4)}-route` : route;
    const before = (await redis.get<number>(counter)) ?? 0;
    await redis.set("k", "first");
    expect(await get()).toEqual(["first", before + 1]);
    expect(await get()).toEqual(["first", before + 2]);
    await redis.set("k", "second");
    expect(await get()).toEqual(["second", before + 3]);
    expect(await redis.get(counter)).toBe(before + 3);
  });
});
