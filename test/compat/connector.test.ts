import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { startRedis } from "warmline-testbed";
import { tableOf } from "../support/docs-table.js";
import { sharedByTests } from "../support/lifetime.js";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// Libraries that want an ioredis or node-redis client, unchanged from npm. Each program is run over TCP and through
// warmline/ioredis and warmline/node-redis, and has to print the same.

const project = join(import.meta.dirname, "connector");
const programs = readdirSync(join(project, "src"))
  .map((file) => basename(file, ".mjs"))
  .filter((name) => name !== "connect")
  .sort();

const folder = newFolder("connector");
const server = sharedByTests(() => startRedis({ listen: "tcp" }));
const gateway = sharedByTests(() => createGateway({ port: 0, redis: server.url }));

beforeAll(async () => {
  cpSync(project, folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  manifest.dependencies.warmline = `file:${inject("tarballs").warmline}`;
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
  await run("npm", ["install", "--no-audit", "--no-fund"], folder, {}, 300_000);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program on an empty Redis, and returns what it printed. */
async function outputOf(name: string, env: Record<string, string>): Promise<unknown> {
  await server.command("FLUSHALL");
  const printed = await run("node", [join("src", `${name}.mjs`)], folder, env, 60_000);
  return JSON.parse(printed.trim().split("\n").at(-1)!);
}

/** The programs that printed the same both times. */
const same: string[] = [];

test.each(programs)("the program of %s", { timeout: 120_000 }, async (name) => {
  const overTcp = await outputOf(name, { REDIS_PORT: String(server.port) });
  const overHttp = await outputOf(name, { WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token });
  expect(overHttp).toEqual(overTcp);
  same.push(name);
});

test("docs/ioredis.md lists the programs that ran", ({ skip }) => {
  skip(same.length < programs.length, "some programs did not run, or failed");
  const rows = programs.map((name) => {
    const source = readFileSync(join(folder, "src", `${name}.mjs`), "utf8");
    const [, did] = /^\/\/ (.*)\.\n/.exec(source)!;
    const imported = [...source.matchAll(/from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(
      ([, specifier]) => specifier!,
    );
    const libraries = [...new Set(imported)].filter(
      (name) => !/^(express|fastify|express-session|warmline)$/.test(name),
    );
    const clients = [
      ...(/\b(ioredis|options)\b/.test(source) ? ["ioredis"] : []),
      ...(source.includes("nodeRedis") ? ["node-redis"] : []),
    ];
    return `| ${libraries.map((library) => `${library} ${versionOf(library)}`).join(", ")} | ${clients.join(", ")} | ${did} |`;
  });
  const table = ["| library | on | what its program does |", "|---|---|---|", ...rows];
  expect(tableOf("docs/ioredis.md", "libraries", table)).toEqual(table);
});

function versionOf(library: string): string {
  return JSON.parse(readFileSync(join(folder, "node_modules", library, "package.json"), "utf8")).version;
}
