import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installOrSkip } from "../../support/packages/run.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the Python tools that check formats. Null if they could not be installed. */
    deployTools: string | null;
  }
}

/** Before the suite: installs the tools. If that fails, prints why, and the tests that need them are skipped. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("deployTools", await installOrSkip(join(import.meta.dirname, "install.mjs")));
}
