import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaErrors } from "../support/bench.js";

// The examples of a scenario and a client in CONTRIBUTING.md, applied to a copy of the repository.

const root = resolve(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "warmline-new-scenario-"));
const src = join(copy, "bench/src");
const added = [join(src, "scenarios/values.ts"), join(src, "clients/undici-pool.ts")];
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const bench = (...args: string[]): string =>
  execFileSync(process.execPath, [join(copy, "bench/dist/cli.js"), ...args], {
    cwd: copy,
    env: { ...process.env, INIT_CWD: copy },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(async () => {
  cpSync(join(root, "bench/src"), src, { recursive: true });
  cpSync(join(root, "bench/package.json"), join(copy, "bench/package.json"));
  for (const path of ["node_modules", "bench/node_modules"]) symlinkSync(join(root, path), join(copy, path));
  const [, section] = /## A new scenario of the bench(.*?)\n## /s.exec(
    readFileSync(join(root, "CONTRIBUTING.md"), "utf8"),
  )!;
  const blocks = [...section!.matchAll(/```typescript\n(.*?)```/gs)].map(([, code]) => code!);
  expect(blocks).toHaveLength(2);
  for (const [at, file] of added.entries()) writeFileSync(file, blocks[at]!);
  const filesIn = (folder: string) => readdirSync(join(src, folder)).map((name) => join(src, folder, name));
  await build({
    entryPoints: [join(src, "cli.ts"), ...["scenarios", "clients", "handlers"].flatMap(filesIn)],
    outdir: join(copy, "bench/dist"),
    outbase: src,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
});

test("the new scenario and the new client type-check", { timeout: 60_000 }, () => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(added, { ...options, noEmit: true });
  const found = ts.getPreEmitDiagnostics(program).filter(({ file }) => file && added.includes(file.fileName));
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

test("the new scenario is listed and measures the new client", { timeout: 60_000 }, () => {
  expect(bench("--list")).toMatch(/^values +How much longer does a GET take/m);
  const clients = ["--clients", "warmline,undici-pool"];
  const printed = bench("values", "--quick", ...clients, "--json", "out.json", "--report", "out.html");
  expect(printed).toMatch(/^100 KB +undici's Pool( +\S+)+/m);
  const result = JSON.parse(readFileSync(join(copy, "out.json"), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  expect(result.data.map(({ client, kb, warm }: any) => [client, kb, warm.rounds, warm.count])).toEqual([
    ["warmline", 1, 2, 8],
    ["warmline", 100, 2, 8],
    ["undici-pool", 1, 2, 8],
    ["undici-pool", 100, 2, 8],
  ]);
});

test("the new client appears in another scenario", { timeout: 60_000 }, () => {
  const few = ["--invocations", "3", "--rounds", "1", "--rtt", "0", "--clients", "undici-pool"];
  const printed = bench("distance", ...few, "--json", "distance.json", "--report", "distance.html");
  expect(printed).toMatch(/^0 ms, TLS +undici's Pool/m);
});
