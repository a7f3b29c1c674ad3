import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { built } from "../built.js";
import type { ColdClientName } from "./measure.js";

/** The size of what a client adds to a function, in bytes. */
export interface BundleSize {
  readonly minified: number;
  readonly gzipped: number;
}

/** The size of a client's bundle: the client and the few lines that use it here, minified. */
export function bundleSize(client: ColdClientName): BundleSize {
  const bundle = readFileSync(built(`perf/cold/bundles/${client}.js`));
  return { minified: bundle.length, gzipped: gzipSync(bundle, { level: 9 }).length };
}
