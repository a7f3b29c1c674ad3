import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** AWS's own runtime client for Node. */
export interface LambdaRic {
  /** The program that runs a handler by the Runtime API. */
  readonly program: string;
  readonly version: string;
}

/**
 * Finds AWS's own runtime client, the npm package `aws-lambda-ric`, in the folder that `WARMLINE_LAMBDA_RIC` names, else in the
 * installed packages.
 * @throws Error if the folder has no such client
 */
export function findLambdaRic(): LambdaRic | undefined {
  const folder = process.env.WARMLINE_LAMBDA_RIC || findInstalled();
  if (folder === undefined) return undefined;
  const program = join(folder, "bin/index.mjs");
  if (!existsSync(program)) {
    throw new Error(`There is no bin/index.mjs of aws-lambda-ric in ${folder} (WARMLINE_LAMBDA_RIC).`);
  }
  return { program, version: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version };
}

function findInstalled(): string | undefined {
  try {
    // The entry is in a folder of the package. Not every version exports its manifest.
    return dirname(dirname(createRequire(import.meta.url).resolve("aws-lambda-ric")));
  } catch {
    return undefined;
  }
}
