import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { findRedisServer } from "warmline-testbed";
import { scenarios as readScenarios } from "../../bench/src/registry.js";
import { benchOutput, schemaErrors } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";
import { isExhaustive } from "../support/random-tests.js";

// The examples of a scenario and a client in bench/README.md, applied to a copy of the repository.

const defined = await readScenarios();
const root = resolve(import.meta.dirname, "../..");
const copy = newFolder("new-scenario");
const src = join(copy, "bench/src");
const added = [join(src, "scenarios/values.ts"), join(src, "clients/undici-pool.ts")];

/** Runs the bench of the copy and returns what it prints. */
const bench = (...args: string[]): Promise<string> =>
  benchOutput(copy, args, join(copy, "bench/dist/cli.js"));

beforeAll(() => {
  cpSync(join(root, "bench/src"), src, { recursive: true });
  for (const file of ["bench/package.json", "bench/tsup.config.ts", "tsconfig.base.json"]) {
    cpSync(join(root, file), join(copy, file));
  }
  for (const path of ["node_modules", "bench/node_modules"]) symlinkSync(join(root, path), join(copy, path));
  const [, section] = /## A new scenario or client(.*)/s.exec(
    readFileSync(join(root, "bench/README.md"), "utf8"),
  )!;
  const blocks = [...section!.matchAll(/```typescript\n(.*?)```/gs)].map(([, code]) => code!);
  expect(blocks).toHaveLength(2);
  for (const [at, file] of added.entries()) writeFileSync(file, blocks[at]!);
  execFileSync(join(root, "node_modules/.bin/tsup"), { cwd: join(copy, "bench"), stdio: "ignore" });
});

test("the new scenario and the new client type-check", { timeout: 60_000 }, () => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(added, { ...options, noEmit: true });
  const found = ts.getPreEmitDiagnostics(program).filter(({ file }) => file && added.includes(file.fileName));
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

test("the new scenario is listed and measures the new client", { timeout: 60_000 }, async () => {
  expect(await bench("--list")).toMatch(/^values +How much longer does a GET take/m);
  const clients = ["--clients", "warmline,undici-pool"];
  const printed = await bench("values", "--quick", ...clients, "--json", "out.json", "--report", "out.html");
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

/** Small settings of each scenario, and the rows of the client. */
const scenarios = defined.filter(({ clients }) => clients !== "none").map(({ name }) => name);
const SMALL = ["--quick", "--only", "--seed", "1", "--rounds", "1"];
const SHORT = { invocations: "2", seconds: "0.3", memory: "1769" };
/** Short runs with those options that a scenario takes. */
const shortRunOf = (name: string): readonly string[] => {
  const { defaults, sizes } = defined.find((each) => each.name === name)!;
  return Object.entries(SHORT).flatMap(([option, value]) =>
    option in defaults || (option === "memory" && sizes) ? [`--${option}`, value] : [],
  );
};

/** In a fresh process, and in instances. A run of all tests of random inputs has every scenario. */
const SAMPLE = ["cold", "keepalive"];

// A client over TCP is measured beside the new one, unless the scenario measures connections to the gateway.
// lambda needs a stack on AWS, and is unknown here. One short run at a time leaves processors idle.
test.concurrent.each(isExhaustive ? scenarios.filter((name) => name !== "lambda") : SAMPLE)(
  "the new client appears in %s",
  { timeout: 240_000 },
  async (name) => {
    const files = ["--json", `${name}.json`, "--report", `${name}.html`];
    const overHttp = /^ {2}protocol: "http",$/m.test(
      readFileSync(join(root, `bench/src/scenarios/${name}.ts`), "utf8"),
    );
    const both = ["--clients", "undici-pool,ioredis"];
    if (overHttp) {
      await expect(bench(name, ...SMALL, ...both)).rejects.toThrow(/gateway, and ioredis connects to Redis/);
    }
    const chosen = overHttp || !findRedisServer() ? ["--clients", "undici-pool"] : both;
    await bench(name, ...SMALL, ...shortRunOf(name), ...chosen, ...files);
    const { data, table } = JSON.parse(readFileSync(join(copy, `${name}.json`), "utf8"));
    for (const client of chosen[1]!.split(",")) {
      expect((data as any[]).filter((row) => row.client === client).length, client).toBeGreaterThan(0);
    }
    expect(JSON.stringify(table.rows)).toContain("undici's Pool");
  },
);
