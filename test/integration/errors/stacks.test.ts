import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { startGateway } from "warmline-gateway/testing";
import { newFolder } from "../../support/new-folder.js";

// The stack of a rejected call has the line of the program that made it.

const root = resolve(import.meta.dirname, "../../..");
const program = join(import.meta.dirname, "programs/print-stacks.ts");

let folder: string;
beforeAll(() => {
  folder = newFolder("stacks");
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});

type Stacks = Record<string, { stack?: string; name?: string }>;

async function stacksOf(file: string, options: BuildOptions, flags: string[]): Promise<Stacks> {
  const outfile = join(folder, file);
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    sourcemap: true,
    logLevel: "silent",
    ...options,
  });
  // Each program has a Redis of its own.
  const gateway = await startGateway();
  const { url, token } = gateway;
  try {
    const args = [...flags, outfile, JSON.stringify({ url, token })];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
    return JSON.parse(stdout);
  } finally {
    await gateway.close();
  }
}

const ways: [name: string, file: string, options: BuildOptions, flags: string[]][] = [
  ["ES modules", "program.mjs", { format: "esm", external: ["warmline"], tsconfigRaw: {} }, []],
  ["CommonJS", "program.cjs", { format: "cjs", external: ["warmline"], tsconfigRaw: {} }, []],
  [
    "a minified bundle with a source map",
    "bundle.mjs",
    { format: "esm", minify: true },
    ["--enable-source-maps"],
  ],
];

test.concurrent.each(ways)(
  "stacks in %s begin with the callers",
  { tags: "full-run" },
  async (_, file, options, flags) => {
    const stacks = await stacksOf(file, options, flags);
    expect(Object.keys(stacks).length).toBe(24);
    const bundled = flags.length > 0;
    const isWrong = ([call, { stack = "" }]: [string, { stack?: string }]) => {
      const [, ...lines] = stack.split("\n");
      const isOther = /^ +at async Promise\.all |\(node:internal\//;
      const all = lines.filter((line) => !isOther.test(line));
      // An argument is checked while the caller runs, below the frames of the client.
      const frames = call.endsWith("argument") ? all.slice(-3) : all;
      const [first = "", second = ""] = frames;
      // A minified bundle has lost the names; its source map has the places.
      return bundled
        ? !/programs\/calls\.ts:\d+/.test(first) || !/programs\/print-stacks\.ts:\d+/.test(second)
        : !new RegExp(`^ +at (async )?(Object\\.)?${call.split(" ")[1]} `).test(first) ||
            !/^ +at (async )?handler /.test(second);
    };
    expect(Object.entries(stacks).filter(isWrong)).toEqual([]);
  },
);
