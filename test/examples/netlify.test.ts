import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { forTest } from "../support/lifetime.js";
import { run } from "../support/packages/run.js";
import { host, platform, serve, useExample } from "./support/example.js";

const example = useExample("netlify");

test("the function returns the stored count", async () => {
  const program = `import visits, { config } from "./netlify/functions/visits.mjs";
    const visit = async () => (await visits(new Request("https://example.com" + config.path), {})).json();
    console.log(JSON.stringify([await visit(), await visit()]));`;
  const args = ["--input-type=module", "--eval", program];
  expect(JSON.parse(await run("node", args, example.folder, example.env))).toEqual([
    { page: "home", visits: 1 },
    { page: "home", visits: 2 },
  ]);
});

test("the edge function runs on Deno, bundled with the condition for Node as Netlify does", async () => {
  const outfile = join(example.folder, "edge.js");
  const { metafile, warnings } = await build({
    entryPoints: [join(example.folder, "netlify/edge-functions/visits.js")],
    outfile,
    bundle: true,
    format: "esm",
    conditions: ["deno", "node", "import"],
    platform: "neutral",
    metafile: true,
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  expect(Object.keys(metafile.inputs).join()).not.toMatch(/dist\/index/);
  const permissions = [
    "--no-prompt",
    "--allow-net=127.0.0.1",
    "--allow-env",
    `--allow-read=${example.folder}`,
  ];
  const args = ["run", ...permissions, host("netlify-edge.js"), pathToFileURL(outfile).href];
  const served = forTest(await serve(platform(".bin/deno"), args, example));
  for (const visits of [1, 2]) {
    const response = await fetch(`${served.url}/edge-visits?page=edge`);
    expect(await response.json()).toEqual({ page: "edge", visits });
  }
});
