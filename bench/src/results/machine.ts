import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { findLambdaRic } from "warmline-testbed";
import { UsageError } from "../util/usage.js";

export type Machine = ReturnType<typeof thisMachine>;

/** @throws UsageError if `WARMLINE_LAMBDA_RIC` names a folder without AWS's runtime client */
export function thisMachine() {
  const processors = cpus();
  const ric = lambdaRic();
  return {
    cpu: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${arch()} ${release()}`,
    node: process.version,
    /** The runtime client of function instances: the testbed's own, or AWS's with its version. */
    runtime: ric ? `aws-lambda-ric ${ric.version}` : "own",
    /** The one-minute load average when the run began. */
    load: Math.round(loadavg()[0]! * 100) / 100,
  };
}

function lambdaRic() {
  try {
    return findLambdaRic();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function readVersion(name: string): string {
  // Not by an import: most packages do not export their manifest.
  const folders = createRequire(import.meta.url).resolve.paths(name)!;
  const manifests = folders.map((folder) => join(folder, name, "package.json"));
  return JSON.parse(readFileSync(manifests.find((file) => existsSync(file))!, "utf8")).version;
}
