import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createGateway, type Gateway } from "warmline-gateway";
import { run } from "../support/packages/run.js";

// Packages that import @upstash/redis themselves, unchanged from npm, in a project that overrides it. Each program of
// the project is compiled and run twice: with warmline-upstash in the reference's place, and with the reference.

const root = resolve(import.meta.dirname, "../..");
const project = join(import.meta.dirname, "project");
const programs = readdirSync(join(project, "src")).map((file) => basename(file, ".ts"));

interface Outcome {
  /** The errors of TypeScript, in the programs and in the declarations of the packages. */
  readonly types: string[];
  /** The output of each program. */
  readonly printed: Record<string, unknown>;
}

let folder: string;
const outcomes = {} as Record<"warmline" | "reference", Outcome>;

async function outcome(): Promise<Outcome> {
  const gateway = await createGateway({ port: 0 });
  try {
    const types = await run("npx", ["tsc", "--pretty", "false"], folder).catch((error) => error.message);
    const printed: Record<string, unknown> = {};
    for (const name of programs) {
      printed[name] = await run("node", [join("out", `${name}.js`)], folder, environment(gateway), 60_000)
        .then((text) => JSON.parse(text.trim().split("\n").at(-1)!))
        .catch((error) => ({ failed: String(error) }));
    }
    return { types: types.split("\n").filter((line: string) => line.includes(": error TS")), printed };
  } finally {
    await gateway.close();
  }
}

const environment = ({ url, token }: Gateway) => ({
  UPSTASH_REDIS_REST_URL: url,
  UPSTASH_REDIS_REST_TOKEN: token,
  KV_REST_API_URL: url,
  KV_REST_API_TOKEN: token,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "warmline-compat-"));
  cpSync(project, folder, { recursive: true });
  const { warmline, "warmline-upstash": compat } = inject("tarballs");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  // The steps of the README, with files where a user writes versions.
  manifest.dependencies.warmline = `file:${warmline}`;
  manifest.dependencies["@upstash/redis"] = `file:${compat}`;
  manifest.overrides = { "@upstash/redis": "$@upstash/redis" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
  await run("npm", ["install", "--no-audit", "--no-fund"], folder, {}, 300_000);
  outcomes.warmline = await outcome();
  const place = join(folder, "node_modules/@upstash/redis");
  rmSync(place, { recursive: true });
  cpSync(join(root, "node_modules/@upstash/redis"), place, { recursive: true });
  cpSync(join(root, "node_modules/uncrypto"), join(folder, "node_modules/uncrypto"), { recursive: true });
  outcomes.reference = await outcome();
}, 600_000);
// Hundreds of megabytes of packages.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 180_000);

test("one override replaces every copy", () => {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const copies = Object.entries(lock.packages as Record<string, { name?: string; version: string }>).filter(
    ([path]) => path.endsWith("@upstash/redis"),
  );
  expect(copies.map(([path, { name, version }]) => [path, name, version])).toEqual([
    ["node_modules/@upstash/redis", "warmline-upstash", "1.39.0"],
  ]);
  expect(existsSync(join(folder, "node_modules/warmline/dist/index.js"))).toBe(true);
});

test("the programs and every declaration type-check as they do with the reference", () => {
  expect(outcomes.reference.types.filter((line) => line.startsWith("src/"))).toEqual([]);
  // The packages' own mistakes, such as imports of what is not installed, are the same with either.
  expect(outcomes.warmline.types.filter((line) => !outcomes.reference.types.includes(line))).toEqual([]);
});

describe("runs as it does with the reference", () => {
  test.each(programs)("%s prints the same as with the reference", (name) => {
    expect(outcomes.reference.printed[name]).not.toHaveProperty("failed");
    expect(outcomes.warmline.printed[name]).toEqual(outcomes.reference.printed[name]);
  });
});
