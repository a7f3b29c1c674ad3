import { readFileSync } from "node:fs";
import { UsageError } from "../util/usage.js";
import type { Result } from "./result.js";

/** Reads the results of a file that `--json` wrote. @throws UsageError if the file is not readable or has other contents */
export function resultsIn(file: string): Result[] {
  let parsed: Result | { readonly results: Result[] };
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} is not readable as results: ${(error as Error).message}`);
  }
  const results = parsed && typeof parsed === "object" && "results" in parsed ? parsed.results : [parsed];
  if (!Array.isArray(results) || results.some((result) => result?.format !== 4)) {
    throw new UsageError(`${file} has no results of this bench (format 4).`);
  }
  return results;
}

/** The significant digits of published numbers. More would be noise, and would double the size of the file. */
const DIGITS = 4;

/**
 * Returns the text of a published result: numbers of four digits, a line for each property and for each case. A series is
 * written as its values, without what can be computed from them.
 */
export function published({ data, ...rest }: Result): string {
  const short = (_: string, value: unknown) => {
    if (typeof value === "number" && !Number.isInteger(value)) return Number(value.toPrecision(DIGITS));
    if (value === null || typeof value !== "object" || !("values" in value && "p50" in value)) return value;
    const { count, rounds, values } = value as unknown as Record<string, unknown>;
    return { count, rounds, values };
  };
  const line = (value: unknown) => JSON.stringify(value, short);
  const properties = Object.entries(rest).filter(([, value]) => value !== undefined);
  const cases = (data as unknown[]).map((row) => `  ${line(row)}`).join(",\n");
  return `{${properties.map(([key, value]) => `"${key}": ${line(value)},\n`).join("")}"data": [\n${cases}\n]}\n`;
}
