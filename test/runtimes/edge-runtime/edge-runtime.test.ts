import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../support/new-folder.js";
import { run } from "../../support/packages/run.js";
import { bundle } from "../support/bundle.js";
import { folder, testRuntime } from "../support/suite.js";

testRuntime("Vercel's edge runtime", "fetch", async (setup) => {
  const temporary = newFolder("edge");
  const file = join(temporary, "bundle.js");
  writeFileSync(file, await bundle("edge-runtime/worker.js", ["edge-light", "browser"], "iife"));
  const env = { SETUP: JSON.stringify(setup), BUNDLE: file };
  return JSON.parse(await run("node", [join(folder, "edge-runtime/host.js")], folder, env));
});
