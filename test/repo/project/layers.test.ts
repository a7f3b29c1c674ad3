import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * The folders of a package, lowest first. A file imports from its own folder and earlier ones, types included. Folders of one
 * group may import from each other.
 */
const PACKAGES: readonly {
  readonly folder: string;
  readonly title: string;
  readonly layers: readonly (string | readonly string[])[];
}[] = [
  {
    folder: "src",
    title: "The client",
    layers: [
      "errors.ts",
      "util",
      "options",
      "protocol",
      "commands",
      "transport",
      "execution",
      "features",
      "client",
      "streams",
      "near",
      "cache",
      "otel",
      "connector",
    ],
  },
  {
    folder: "gateway/src",
    title: "The gateway",
    layers: [
      "version.ts",
      "util",
      "config",
      "log",
      "resp",
      "commands",
      "engine",
      "redis",
      "near",
      "numbers",
      "trace",
      "access",
      "http",
      "settings",
      "metrics",
      "console",
      "api",
      "seed",
      "backend.ts",
      "create.ts",
      "index.ts",
      "cli",
      "testing",
    ],
  },
  {
    folder: "bench/src",
    title: "The bench",
    layers: [
      "util",
      "statistics",
      "client",
      "results",
      "rig",
      "scenario.ts",
      ["handlers", "aws", "faults", "fleet", "gateway", "keepalive", "outage", "perf", "sockets"],
      "clients",
      "parts",
      "scenarios",
      "registry.ts",
      "runner",
      "report",
      "cli.ts",
    ],
  },
];

const architecture = readFileSync(resolve(import.meta.dirname, "../../../docs/architecture.md"), "utf8");

/** The imports between the files of a folder. */
function importsIn(folder: string): { file: string; imported: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return Array.from(text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+\.js)"/g), ([, path]) => ({
      file,
      imported: relative(folder, resolve(folder, dirname(file), path!.replace(/\.js$/, ".ts"))),
    }));
  });
}

describe.each(PACKAGES)("$folder", ({ folder, layers, title }) => {
  const root = resolve(import.meta.dirname, "../../..", folder);

  /** The place of a file's layer. The entries are above all layers. */
  function layerOf(file: string): number {
    const folder = file.split(sep)[0]!;
    const at = layers.findIndex((layer) => [layer].flat().includes(folder));
    return at === -1 ? layers.length : at;
  }

  test("each folder imports only from those before it", () => {
    const imports = importsIn(root);
    const upward = imports.filter(({ file, imported }) => layerOf(imported) > layerOf(file));
    expect(upward).toEqual([]);
    expect(imports.length).toBeGreaterThan(300);
  });

  test("every folder has its place in the order", () => {
    const entries = readdirSync(root, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) expect(layers.flat()).toContain(entry.name);
  });

  test("docs/architecture.md lists the folders in this order", () => {
    const section = architecture.split(/^## /m).find((text) => text.startsWith(title));
    const rows = Array.from(section!.matchAll(/^\| (`.*?`) \|/gm), ([, names]) => names!);
    const listed = rows.flatMap((names) => Array.from(names.matchAll(/`([\w-]+)\/`/g), ([, name]) => name));
    expect(listed).toEqual(layers.flat().filter((name) => !name.includes(".")));
  });
});

test("the gateway's HTTP server knows nothing of Redis", () => {
  const root = resolve(import.meta.dirname, "../../../gateway/src");
  const folders = new Set(
    importsIn(root)
      .filter(({ file }) => file.startsWith(`http${sep}`))
      .map(({ imported }) => imported.split(sep)[0]),
  );
  expect([...folders].sort()).toEqual(["http", "util"]);
});
