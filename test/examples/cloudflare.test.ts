import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { forTest } from "../support/lifetime.js";
import { host, platform, serve, useExample } from "./support/example.js";

const example = useExample("cloudflare");

test("the Worker runs under Miniflare without a compatibility flag", async () => {
  const config = readFileSync(join(example.folder, "wrangler.jsonc"), "utf8");
  const [, date] = /"compatibility_date": "([\d-]+)"/.exec(config)!;
  const [, main] = /"main": "([^"]+)"/.exec(config)!;
  const outfile = join(example.folder, "worker.mjs");
  const { warnings } = await build({
    entryPoints: [join(example.folder, main!)],
    outfile,
    bundle: true,
    format: "esm",
    // As wrangler does it.
    conditions: ["workerd", "worker", "browser"],
    platform: "neutral",
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  const served = forTest(
    await serve(platform("node22/bin/node"), [host("miniflare.js"), outfile, date!], example),
  );
  const visit = async () => (await fetch(`${served.url}/?page=w`)).json() as Promise<Record<string, unknown>>;
  expect(await visit()).toEqual({ page: "w", visits: 1, last: null });
  // The first visit's note may be written after its response.
  await expect.poll(visit, { timeout: 10_000 }).toMatchObject({ last: { visits: expect.any(Number) } });
  // Many at once: nothing is shared between requests, so none hangs.
  const pages = await Promise.all(Array.from({ length: 30 }, visit));
  expect(new Set(pages.map(({ visits }) => visits)).size).toBe(30);
});
