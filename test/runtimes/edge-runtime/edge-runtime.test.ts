import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../support/packages/run.js";
import { bundle } from "../support/bundle.js";
import { folder, testRuntime } from "../support/suite.js";

testRuntime("Vercel's edge runtime", "fetch", async (setup) => {
  const temporary = mkdtempSync(join(tmpdir(), "warmline-edge-"));
  try {
    const file = join(temporary, "bundle.js");
    writeFileSync(file, await bundle("edge-runtime/worker.js", ["edge-light", "browser"], "iife"));
    const env = { SETUP: JSON.stringify(setup), BUNDLE: file };
    return JSON.parse(await run("node", [join(folder, "edge-runtime/host.js")], folder, env));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});
