import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGateway } from "warmline-gateway";
import { sharedByTests } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { run } from "../../support/packages/run.js";
import { binary, folder } from "../support/suite.js";

// The packed client in a program, as bundlers make it for Node and for the edge; each bundle is run.

const gateway = sharedByTests(() => createGateway({ port: 0 }));

const bundlers = ["esbuild", "rollup", "vite", "webpack", "bun"];

describe.each(bundlers)("%s", (bundler) => {
  test.each(["node", "edge"])("the %s bundle runs without warnings", { timeout: 90_000 }, async (target) => {
    const out = newFolder("bundle");
    const command = bundler === "bun" ? binary(".bin/bun") : "node";
    await run(command, [join(folder, "bundlers/build.js"), bundler, target, out], folder);
    expect(JSON.parse(readFileSync(join(out, "warnings.json"), "utf8"))).toEqual([]);
    const files = readdirSync(out, { recursive: true }).map(String);
    const sources = files
      .filter((name) => /\.m?js$/.test(name))
      .map((name) => readFileSync(join(out, name), "utf8"));
    // The entry for Node opens sockets; nothing of Node's may reach an edge bundle.
    const usesNode = /["'](node:)?(net|tls|diagnostics_channel)["']/.test(sources.join("\n"));
    expect(usesNode).toBe(target === "node");
    const env = { WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token, KEY: `${bundler}:${target}` };
    expect(JSON.parse(await run("node", [join(out, "main.mjs")], out, env))).toEqual([
      "OK",
      { name: "Ada" },
      1,
      true,
    ]);
  });
});
