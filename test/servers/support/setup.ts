import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installOrSkip } from "../../support/packages/run.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the downloaded servers and modules. Null if they could not be downloaded. */
    servers: string | null;
  }
}

/** Before the suite: downloads the servers. If that fails, prints why, and the suite is skipped. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("servers", await installOrSkip(join(import.meta.dirname, "download.mjs")));
}
