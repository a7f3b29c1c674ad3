import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../util/usage.js";
import type { Result } from "./result.js";

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

/**
 * Reads the results of a full run: of a file that `--json` wrote, or of all such files in a folder.
 * @throws UsageError if there are none, or if one is from a quick run
 */
export function fullResultsAt(path: string): Result[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const files = isFolder
    ? readdirSync(path)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const results = files.flatMap(resultsIn);
  if (results.length === 0) throw new UsageError(`${path} has no results: write them with --json.`);
  const quick = results.find(({ settings }) => settings.quick);
  if (quick) throw new UsageError(`${path} has a quick run of ${quick.scenario}, which has no verdicts.`);
  return results;
}
