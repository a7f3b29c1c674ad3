import type { ConfigError } from "../errors.js";
import type { assertConfig } from "./assert-config.js";
import { findUnknownOption } from "./option-names.js";

/** Throws an error with the message, unless the condition holds. */
export type Assert = typeof assertConfig;

/** Maximum of a time in seconds, about 30 years: Redis accepts sums of such times to live. */
export const MAX_SECONDS = 1e9;

/**
 * Checks the number of arguments of a function that an entry exports. `surplus` are those after the first `maxArgs`. Returns a
 * function for further checks, which throws an error of the class `Kind` whose message begins with the name.
 */
export function checkCall(
  Kind: typeof ConfigError,
  name: string,
  maxArgs: number,
  surplus: readonly unknown[],
): Assert {
  const assert: Assert = (holds, message) => {
    if (!holds) throw new Kind(`${name}: ${message}`);
  };
  assert(surplus.length === 0, `too many arguments; it takes at most ${maxArgs}`);
  return assert;
}

/** Checks that options are an object with no other names than `names`. */
export function checkNames(
  assert: Assert,
  options: object,
  names: readonly string[],
  message = "the options must be an object",
): void {
  assert(typeof options === "object" && options !== null, message);
  const unknown = findUnknownOption(options, names);
  assert(!unknown, unknown!);
}

/**
 * Checks that an option is a number above 0, or with `orZero` 0 as well, and at most `max`.
 * @param kind what the message says the option must be, such as "a number of seconds".
 */
export function checkNumber(
  assert: Assert,
  name: string,
  value: unknown,
  kind: string,
  max: number,
  orZero = false,
): void {
  const holds = typeof value === "number" && (value > 0 || (orZero && value === 0)) && value <= max;
  assert(holds, `${name} must be ${kind} ${orZero ? "from" : "above"} 0 to ${max}`);
}
