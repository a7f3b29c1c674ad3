import type { TestProject } from "vitest/node";
import { packAll, type Tarballs } from "./pack.js";

declare module "vitest" {
  interface ProvidedContext {
    tarballs: Tarballs;
  }
}

/** Before suites that install the packages: `inject("tarballs")` returns the packed packages. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("tarballs", await packAll());
}
