import { readFileSync } from "node:fs";
import type { Result } from "./result.js";
import { UsageError } from "./usage.js";

/**
 * Reads the results in a file that `--json` wrote: of one scenario, or of several.
 * @throws UsageError if the file is not readable or has other contents.
 */
export function resultsIn(file: string): Result[] {
  let parsed: Result | { readonly results: Result[] };
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} is not readable as results: ${(error as Error).message}`);
  }
  const results = parsed && typeof parsed === "object" && "results" in parsed ? parsed.results : [parsed];
  if (!Array.isArray(results) || results.some((result) => result?.format !== 3)) {
    throw new UsageError(`${file} has no results of this bench (format 3).`);
  }
  return results;
}
