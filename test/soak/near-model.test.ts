import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { redisAvailable } from "../../testbed/src/index.js";
import { runNearModel } from "../support/near-model/model.js";

const seed = Number(process.env.MODEL_SEED ?? 1);
const seconds = Number(process.env.MODEL_SECONDS ?? 20);
const root = resolve(import.meta.dirname, "../..");

/** Bundles `warmline/near` with another text in place of `from`. Returns its URL. */
async function mutated(folder: string, from: string, to: string): Promise<string> {
  const outfile = join(folder, "near.mjs");
  let replaced = 0;
  await build({
    entryPoints: [join(root, "src/near.ts")],
    bundle: true,
    format: "esm",
    outfile,
    plugins: [
      {
        name: "mutate",
        setup({ onLoad }) {
          onLoad({ filter: /local-cache\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, "utf8");
            if (text.includes(from)) replaced++;
            return { contents: text.replace(from, to), loader: "ts" };
          });
        },
      },
    ],
  });
  expect(replaced).toBe(1);
  return pathToFileURL(outfile).href;
}

describe.skipIf(!redisAvailable())("reads of a near cache under faults", () => {
  test("a read returns no value overwritten more than maxStale before, and none overwritten at all with verify", {
    timeout: 2_000 * seconds + 60_000,
  }, async () => {
    const { violations, reads, stats, faults, failed } = await runNearModel({ seconds, seed });
    console.info(`seed ${seed}: ${reads} reads, ${failed} failed`, stats, faults);
    expect(violations).toEqual([]);
    expect(reads).toBeGreaterThan(500);
    for (const name of ["hits", "verified", "invalidated", "misses"]) expect(stats[name]).toBeGreaterThan(20);
  });

  test("a cache that takes a reply for one of the time of its response is found to be wrong", {
    timeout: 300_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "warmline-near-"));
    try {
      const nearModule = await mutated(
        folder,
        "const { keys, buckets, sentAt, time } = load;",
        "const { keys, buckets, sentAt } = load; const time = this.#reports.time;",
      );
      const { violations } = await runNearModel({ seconds: 120, seed, nearModule, untilViolation: true });
      console.info(violations.length, "violations, such as", violations[0]);
      expect(violations.length).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
