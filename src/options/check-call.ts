import type { ConfigError } from "../errors.js";
import type { assertConfig } from "./assert-config.js";
import { findUnknownOption } from "./option-names.js";

/** Throws an error with the message, unless the condition holds. */
export type Assert = typeof assertConfig;

/** About 30 years: what Redis takes as a time to live, with room for sums. */
export const MAX_SECONDS = 1e9;

/**
 * Checks the number of arguments of a function that an entry exports.
 * @param surplus its arguments after the ones that it takes.
 * @returns a function for further checks, which throws an error of the class `Kind` whose message begins with the name.
 */
export function checkCall(
  Kind: typeof ConfigError,
  name: string,
  takes: number,
  surplus: readonly unknown[],
): Assert {
  const assert: Assert = (holds, message) => {
    if (!holds) throw new Kind(`${name}: ${message}`);
  };
  assert(surplus.length === 0, `too many arguments; it takes at most ${takes}`);
  return assert;
}

/** Checks that options are an object whose names are known. */
export function checkNames(
  assert: Assert,
  options: object,
  known: readonly string[],
  wanted = "the options must be an object",
): void {
  assert(typeof options === "object" && options !== null, wanted);
  const unknown = findUnknownOption(options, known);
  assert(!unknown, unknown!);
}

/**
 * Checks that an option is a number above 0, or from 0, and at most `max`.
 * @param what such as "a number of seconds".
 */
export function checkNumber(
  assert: Assert,
  name: string,
  value: unknown,
  what: string,
  max: number,
  orZero = false,
): void {
  const holds = typeof value === "number" && (value > 0 || (orZero && value === 0)) && value <= max;
  assert(holds, `${name} must be ${what} ${orZero ? "from" : "above"} 0 to ${max}`);
}
