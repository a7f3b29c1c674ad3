/**
 * A cache of reads in the memory of a function's process that stays right over freezes: the gateway reports changed keys in
 * the responses to requests that are sent anyway.
 *
 * @module warmline/near
 */

import type { MatchKey } from "./near/cacheable.js";
import { LocalCache } from "./near/local-cache.js";
import { assertConfig } from "./options/assert-config.js";
import { findUnknownOption } from "./options/option-names.js";
import type { NearCache } from "./options/options.js";

export type { NearCache, NearStats } from "./options/options.js";

/** Options of {@link near}. */
export interface NearOptions {
  /** Keys whose reads are cached: names, and prefixes that end with `*`, such as `flag:*`. */
  match: string | readonly string[];
  /**
   * The most ms for which a read may miss a change, from the moment that the change was acknowledged. Default 2,000. Where the
   * endpoint reports no changes, it is the time to live of a reply in memory.
   */
  maxStale?: number;
  /** The most bytes of memory for replies, approximately. The least recently used are removed first. Default 8,000,000. */
  maxBytes?: number;
}

const DEFAULT_MAX_STALE = 2_000;
const DEFAULT_MAX_BYTES = 8_000_000;

/**
 * Makes a near cache for the clients of one endpoint: `new Redis({ near: near({ match: "flag:*" }) })`. Make it outside the
 * handler. Changes are reported by warmline-gateway with `--near-prefix`.
 * @throws ConfigError when an option is malformed.
 */
export function near(options: NearOptions): NearCache {
  assertConfig(
    typeof options === "object" && options !== null,
    'near() needs an object of options, such as { match: "flag:*" }',
  );
  const unknown = findUnknownOption(options, ["match", "maxStale", "maxBytes"]);
  assertConfig(!unknown, `near: ${unknown}`);
  const { match, maxStale = DEFAULT_MAX_STALE, maxBytes = DEFAULT_MAX_BYTES } = options;
  assertConfig(isPositive(maxStale), "near: maxStale must be a number of ms above 0");
  assertConfig(isPositive(maxBytes), "near: maxBytes must be a number of bytes above 0");
  return new LocalCache({ matches: matcherOf([match].flat()), maxStale, maxBytes });
}

const isPositive = (value: unknown) => typeof value === "number" && value > 0;

const describe = (pattern: unknown) =>
  typeof pattern === "string" ? JSON.stringify(pattern) : `a value of type ${typeof pattern}`;

/** @throws ConfigError for what is neither a name nor a prefix. */
function matcherOf(patterns: readonly unknown[]): MatchKey {
  const names = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns) {
    const isText = typeof pattern === "string" && pattern !== "";
    assertConfig(
      isText && !/[*?[\]\\]/.test(pattern.slice(0, -1)) && !/[?[\]\\]$/.test(pattern),
      `near: match must hold names of keys, and prefixes that end with *, such as flag:*, not ${describe(pattern)}`,
    );
    const text = pattern as string;
    if (text.endsWith("*")) prefixes.push(text.slice(0, -1));
    else names.add(text);
  }
  assertConfig(patterns.length > 0, "near: match must not be empty");
  return (key) => names.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}
