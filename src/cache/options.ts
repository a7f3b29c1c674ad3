import type { StandardSchema } from "../commands/schema.js";
import { type Assert, checkNames, checkNumber, MAX_SECONDS } from "../options/check-call.js";

/** Options of `cached`. */
export interface CachedOptions<Args extends readonly unknown[], T> {
  /** Returns the part of the key in Redis that differs between calls: non-empty text, from the arguments of the call. */
  key: (...args: Args) => string;
  /** Time in seconds for which a result is returned without a new computation, from the start of its computation. */
  fresh: number;
  /** Further seconds in which the result may be returned while one call computes it anew. Default 0. */
  stale?: number | undefined;
  /** Maximum time in seconds of a computation. After that another may begin, and this one's result is not stored. Default 10. */
  lease?: number | undefined;
  /** Returns the tags of a result, from the result and the arguments. `deleteTag` deletes the results with a tag. */
  tags?: ((result: T, ...args: Args) => readonly string[]) | undefined;
  /**
   * Any Standard Schema for results other than null and undefined. A stored result that does not match is
   * computed anew.
   */
  schema?: StandardSchema<NonNullable<T>> | undefined;
  /**
   * Gets the promise of a computation that replaces a stale result, such as `waitUntil` of `@vercel/functions`: the call then
   * returns the stale result at once. Without it, the call returns the new result. It also gets the promise of the request
   * that ends the lease after the function has failed. Without `waitUntil`, the call waits for that request.
   */
  waitUntil?: ((refresh: Promise<unknown>) => void) | undefined;
  /** While Redis can't be reached, `"compute"` (default) computes results without storing them, `"throw"` rejects. */
  onOutage?: "compute" | "throw" | undefined;
}

/** Options of `cached` with their defaults. Times are in ms. */
export type CachedSettings = ReturnType<typeof resolveCachedOptions>;

const NAMES = ["key", "fresh", "stale", "lease", "tags", "schema", "waitUntil", "onOutage"];

/** Checks the options of `cached`, and fills in defaults. @throws an error of `assert` that names the wrong option. */
export function resolveCachedOptions(assert: Assert, options: CachedOptions<any, any>) {
  const message = "the fourth argument must be an object of options, such as { key: (id) => id, fresh: 60 }";
  checkNames(assert, options, NAMES, message);
  const { key, fresh, stale = 0, lease = 10, tags, schema, waitUntil, onOutage = "compute" } = options;
  assert(typeof key === "function", "key must be a function that returns text, such as (id) => id");
  const toMs = (name: string, seconds: number, orZero = false) => {
    checkNumber(assert, name, seconds, "a number of seconds", MAX_SECONDS, orZero);
    return Math.ceil(seconds * 1_000);
  };
  for (const [name, value] of Object.entries({ tags, waitUntil }))
    assert(value === undefined || typeof value === "function", `${name} must be a function`);
  const isSchema = typeof schema?.["~standard"]?.validate === "function";
  assert(schema === undefined || isSchema, "schema must be a Standard Schema");
  assert(onOutage === "compute" || onOutage === "throw", "onOutage must be compute or throw");
  const freshMs = toMs("fresh", fresh);
  return {
    key,
    fresh: freshMs,
    /** Time from the start of a computation after which its result is not returned any more. */
    lifetime: freshMs + toMs("stale", stale, true),
    lease: toMs("lease", lease),
    tags,
    schema,
    waitUntil,
    onOutage,
  };
}
