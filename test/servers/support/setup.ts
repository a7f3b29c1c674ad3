import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installOrSkip } from "../../support/packages/run.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the downloaded servers and modules. Null where this machine can't have them. */
    servers: string | null;
  }
}

/** Before the suite: downloads the servers. Where they can't be had, prints why, and the suite is skipped. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("servers", await installOrSkip(join(import.meta.dirname, "download.mjs")));
}
