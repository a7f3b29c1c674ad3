import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// The packed declarations under the oldest TypeScript that we support and the newest ones, and what they cost to check.

const folder = newFolder("typescript");
const versions = ["5.4", "5.9", "6.0", "latest"];

beforeAll(async () => {
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`);
  writeFileSync(join(folder, "package.json"), '{"name":"consumer","private":true}');
  await run(
    "npm",
    ["install", "--no-audit", "--no-fund", inject("tarballs").warmline, "@types/node@20", ...compilers],
    folder,
  );
  cpSync(join(import.meta.dirname, "consumer.mts"), join(folder, "consumer.mts"));
  writeFileSync(join(folder, "consumer.cts"), COMMON_JS);
  for (const [project, config] of Object.entries(projects)) writeProject(project, config);
}, 300_000);

// Not in a file: this repository's TypeScript settings would not compile CommonJS.
const COMMON_JS = `import warmline = require("warmline");
import fetchEntry = require("warmline/fetch");

const redis = warmline.Redis.fromEnv({ retry: false });
const other: fetchEntry.Redis = new fetchEntry.Redis({ url: "https://example.com", token: "t" });

async function use(): Promise<number> {
  const [n, text] = await redis.multi().decr("stock").get<string>("k").exec();
  const name: string | null = await other.get("name");
  // @ts-expect-error the first is a number
  const wrong: string = n;
  return n + (text ?? name ?? wrong).length;
}

export = { use };
`;

const common = { target: "es2022", strict: true, noEmit: true, skipLibCheck: false };

/** Compiler settings of programs that use the package. */
const projects: Record<string, { compilerOptions: object; files: string[] }> = {
  // A function on Node, once as an ES module and once as CommonJS.
  node16: {
    compilerOptions: { ...common, module: "node16", lib: ["es2022"], types: ["node"] },
    files: ["../consumer.mts", "../consumer.cts"],
  },
  // A bundled program for an edge runtime or a browser, which has no types of Node's.
  bundler: {
    compilerOptions: {
      ...common,
      module: "esnext",
      moduleResolution: "bundler",
      customConditions: ["workerd"],
      lib: ["es2022", "dom"],
      types: [],
    },
    files: ["../consumer.mts"],
  },
  // A program with neither the DOM's types nor Node's.
  plain: {
    compilerOptions: {
      ...common,
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2022"],
      types: [],
      exactOptionalPropertyTypes: true,
    },
    files: ["../consumer.mts"],
  },
};

function writeProject(name: string, config: object): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "tsconfig.json"), JSON.stringify(config));
}

/** Compiles a project. @returns the output of TypeScript, empty if there are no errors */
async function compile(version: string, project: string): Promise<string> {
  const tsc = join(folder, `node_modules/typescript-${version}/bin/tsc`);
  return run("node", [tsc, "-p", project], folder).catch((error) => error.message);
}

/** Every version compiles a project on Node; the oldest and the latest compile the others too. */
const compilations = versions.flatMap((version) =>
  Object.keys(projects)
    .filter((project) => project === "node16" || [versions[0], versions.at(-1)].includes(version))
    .map((project) => [version, project] as const),
);

test.concurrent.each(compilations)(
  "TypeScript %s compiles the project: %s",
  { timeout: 120_000 },
  async (version, project) => {
    expect(await compile(version, project)).toBe("");
  },
);

test("a pipeline of 50 commands is type-checked within the limit", { timeout: 300_000 }, async () => {
  const links = [
    '.get<User>("a")',
    '.hgetall<User>("h")',
    '.set("k", { name: "x" }, { ex: 1 })',
    '.mget<[User, number]>("a", "b")',
    '.zrange<string[]>("z", 0, -1, { withScores: true })',
  ];
  const chain = Array.from({ length: 50 }, (_, i) => links[i % links.length]).join("\n  ");
  const imports =
    'import { Redis } from "warmline";\ninterface User extends Record<string, unknown> { name: string }\n';
  writeFileSync(
    join(folder, "pipeline.mts"),
    `${imports}const results = await Redis.fromEnv().pipeline()\n  ${chain}\n  .exec();
export const last: (string | number)[] = results[49];
export const first: User | null = results[0];
// @ts-expect-error there are 50
results[50];
`,
  );
  writeFileSync(join(folder, "empty.mts"), "export {};\n");
  const compilerOptions = { ...projects.node16!.compilerOptions, extendedDiagnostics: true };
  for (const file of ["empty", "pipeline"])
    writeProject(file, { compilerOptions, files: [`../${file}.mts`] });
  // TypeScript's own clock, so that starting it does not count.
  const checkTime = async (file: string) => {
    const printed = await compile("5.9", file);
    expect(printed).not.toContain("error TS");
    return Number(/Check time:\s+([\d.]+)s/.exec(printed)?.[1]);
  };
  let best = { empty: Number.POSITIVE_INFINITY, pipeline: Number.POSITIVE_INFINITY };
  // Three seconds, or on a busy machine three times as long as an empty program, which checks only the libraries.
  const limit = () => Math.max(3, 3 * best.empty);
  for (let round = 0; round === 0 || (round < 3 && best.pipeline >= limit()); round++) {
    best = {
      empty: Math.min(best.empty, await checkTime("empty")),
      pipeline: Math.min(best.pipeline, await checkTime("pipeline")),
    };
  }
  console.info(`tsc 5.9 checks a pipeline of 50 commands in ${best.pipeline} s, nothing in ${best.empty} s`);
  expect(best.pipeline).toBeLessThan(limit());
});
