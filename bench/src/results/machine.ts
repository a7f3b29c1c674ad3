import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { findLambdaRic } from "warmline-testbed";

/** The machine that the numbers were measured on. */
export type Machine = ReturnType<typeof thisMachine>;

export function thisMachine() {
  const processors = cpus();
  const ric = findLambdaRic();
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

/** The version of an installed package. */
export function readVersion(name: string): string {
  const require = createRequire(import.meta.url);
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (manifest.name === name) return manifest.version;
    } catch {
      // No manifest here: further up.
    }
  }
  throw new Error(`The version of ${name} was not found: no package.json above its entry.`);
}
