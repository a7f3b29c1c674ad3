import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { forTest } from "../support/lifetime.js";
import { run } from "../support/packages/run.js";
import { host, serve, useExample } from "./support/example.js";

const example = useExample("vercel");

test("the function runs on Node.js", async () => {
  const program = `import { GET } from "./api/visits.js";
    const visit = async (path) => (await GET(new Request("https://example.com" + path))).json();
    console.log(JSON.stringify([await visit("/api/visits"), await visit("/api/visits?page=a"), await visit("/api/visits")]));`;
  const args = ["--input-type=module", "--eval", program];
  expect(JSON.parse(await run("node", args, example.folder, example.env))).toEqual([
    { page: "home", visits: 1 },
    { page: "a", visits: 1 },
    { page: "home", visits: 2 },
  ]);
});

test("the edge function runs in the edge runtime", async () => {
  const outfile = join(example.folder, "edge.js");
  const { warnings } = await build({
    entryPoints: [join(example.folder, "api/edge-visits.js")],
    outfile,
    bundle: true,
    format: "iife",
    globalName: "edgeFunction",
    conditions: ["edge-light", "browser"],
    platform: "neutral",
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  const served = forTest(await serve("node", [host("edge-runtime.js"), outfile], example));
  for (const visits of [1, 2]) {
    const response = await fetch(`${served.url}/api/edge-visits?page=edge`);
    expect(await response.json()).toEqual({ page: "edge", visits });
  }
});
