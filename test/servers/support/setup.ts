import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { run } from "../../support/packages/run.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the downloaded servers and modules. Null if they could not be downloaded. */
    servers: string | null;
  }
}

/** Before the suite: downloads the servers. If that fails, prints why, and the suite is skipped. */
export default async function setup(project: TestProject): Promise<void> {
  const folder = await run("node", [join(import.meta.dirname, "download.mjs")], ".", {}, 300_000).catch(
    (error: Error) => {
      process.stderr.write(`Skipped: ${error.message}\n`);
      return "";
    },
  );
  project.provide("servers", folder.trim() || null);
}
