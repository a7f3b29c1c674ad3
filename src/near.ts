/**
 * A cache of reads in the memory of a function's process that stays right over freezes: the gateway reports changed keys in
 * the responses to requests that are sent anyway.
 *
 * @module warmline/near
 */

import { ConfigError } from "./errors.js";
import type { MatchKey } from "./near/cacheable.js";
import { LocalCache } from "./near/local-cache.js";
import { type Assert, checkCall, checkNames, checkNumber, MAX_SECONDS } from "./options/check-call.js";
import type { NearCache } from "./options/options.js";

export type { NearCache, NearStats } from "./options/options.js";

/** Options of {@link near}. */
export interface NearOptions {
  /** Keys whose reads are cached: names, and prefixes that end with `*`, such as `flag:*`. */
  match: string | readonly string[];
  /**
   * Maximum time in ms for which a read may miss a change, from the acknowledgement of the change. Default 2,000. If the endpoint
   * reports no changes, this is the time to live of a reply in memory.
   */
  maxStale?: number | undefined;
  /** Approximate memory in bytes for replies. The least recently used are removed first. Default 8,000,000. */
  maxBytes?: number | undefined;
}

/**
 * Creates a near cache for the clients of one endpoint: `new Redis({ near: near({ match: "flag:*" }) })`. Create it outside the
 * handler. Changes are reported by warmline-gateway with `--near-prefix`.
 * @throws ConfigError if an option is malformed.
 */
export function near(options: NearOptions, ...surplus: []): NearCache {
  const assert = checkCall(ConfigError, "near", 1, surplus);
  const message = 'the argument must be an object of options, such as { match: "flag:*" }';
  checkNames(assert, options, ["match", "maxStale", "maxBytes"], message);
  const { match, maxStale = 2_000, maxBytes = 8_000_000 } = options;
  checkNumber(assert, "maxStale", maxStale, "a number of ms", MAX_SECONDS * 1_000);
  checkNumber(assert, "maxBytes", maxBytes, "a number of bytes", Number.MAX_SAFE_INTEGER);
  return new LocalCache({ matches: createMatcher(assert, [match].flat()), maxStale, maxBytes });
}

const describe = (pattern: unknown) =>
  typeof pattern === "string" ? JSON.stringify(pattern) : `a value of type ${typeof pattern}`;

/** Returns a function that decides whether a key has one of the names or prefixes. */
function createMatcher(assert: Assert, patterns: readonly unknown[]): MatchKey {
  const names = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns) {
    const isText = typeof pattern === "string" && pattern !== "";
    assert(
      isText && !/[*?[\]\\]/.test(pattern.slice(0, -1)) && !/[?[\]\\]$/.test(pattern),
      `match must hold names of keys, and prefixes that end with *, such as flag:*, not ${describe(pattern)}`,
    );
    const text = pattern as string;
    if (text.endsWith("*")) prefixes.push(text.slice(0, -1));
    else names.add(text);
  }
  assert(patterns.length > 0, "match must not be empty");
  return (key) => names.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}
