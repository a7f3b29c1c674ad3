import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createGateway, type Gateway } from "warmline-gateway";
import { run } from "../support/packages/run.js";

// Packages that import @upstash/redis themselves, unchanged from npm, in a project that overrides it. Each program of
// the project is compiled with warmline-upstash in the reference's place, and run with that and with the reference.

const root = resolve(import.meta.dirname, "../..");
const project = join(import.meta.dirname, "project");
const programs = readdirSync(join(project, "src")).map((file) => basename(file, ".ts"));

/** Mistakes of the packages themselves, which are the same with the reference: imports of what is not installed, and versions. */
const THEIR_OWN = [
  /^node_modules\/unstorage\/drivers\/.* TS(2304|2307|2503):/,
  /^node_modules\/@upstash\/query\/.* TS2307: Cannot find module '@upstash\/redis\/types\/pkg\/pipeline'/,
  /^node_modules\/@upstash\/realtime\/.* TS2707: Generic type 'ZodDiscriminatedUnion<Options>'/,
  /^node_modules\/@mastra\/upstash\/.* TS2416: Property 'updateTask' in type 'BackgroundTasksUpstash'/,
];

let folder: string;
/** The errors of TypeScript in the programs, and in the declarations of the packages that import @upstash/redis. */
let types: string[];
/** The output of each program. */
const outputs = {} as Record<"warmline" | "reference", Record<string, unknown>>;

async function runAll(): Promise<Record<string, unknown>> {
  const gateway = await createGateway({ port: 0 });
  try {
    const printed: Record<string, unknown> = {};
    for (const name of programs) {
      printed[name] = await run("node", [join("out", `${name}.js`)], folder, environment(gateway), 60_000)
        .then((text) => JSON.parse(text.trim().split("\n").at(-1)!))
        .catch((error) => ({ failed: String(error) }));
    }
    return printed;
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
  const errors = await run("node", [join(import.meta.dirname, "types.mjs")], folder, {}, 300_000);
  types = errors.split("\n").filter(Boolean);
  outputs.warmline = await runAll();
  const place = join(folder, "node_modules/@upstash/redis");
  rmSync(place, { recursive: true });
  cpSync(join(root, "node_modules/@upstash/redis"), place, { recursive: true });
  cpSync(join(root, "node_modules/uncrypto"), join(folder, "node_modules/uncrypto"), { recursive: true });
  outputs.reference = await runAll();
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

test("the programs, and the declarations of the packages, type-check", () => {
  expect(types.filter((line) => !THEIR_OWN.some((mistake) => mistake.test(line)))).toEqual([]);
});

test.each(programs)("%s prints the same as with the reference", (name) => {
  expect(outputs.reference[name]).not.toHaveProperty("failed");
  expect(outputs.warmline[name]).toEqual(outputs.reference[name]);
});
