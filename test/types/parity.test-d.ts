import type { Redis as Reference } from "@upstash/redis";
import { expectTypeOf, test } from "vitest";
import type { Redis } from "../../src/index.js";

// Code that compiles against @upstash/redis compiles here: each method accepts the reference's arguments, and its result is
// assignable to the reference's.

/** Methods whose types can't replace the reference's, with the reason. */
type Exceptions =
  // Objects and classes of their own.
  | "bitfield"
  | "createScript"
  | "json"
  | "multi"
  | "pipeline"
  | "psubscribe"
  | "subscribe"
  // Only Upstash's own server has them.
  | "search"
  | "vector"
  // Null if there is no value: the reference's type has no null.
  | "geopos"
  | "lmove"
  | "xread"
  | "xreadgroup"
  | "zmscore"
  // A number other than 0 and 1, where several fields are removed.
  | "hdel"
  // Types that Redis has got since.
  | "type"
  // The result follows from the options, by another rule with the same outcome.
  | "argrep"
  | "scan"
  | "xadd"
  | "xgroup"
  | "zrange";

type Differing = {
  [M in keyof Reference]: M extends keyof Redis ? (Redis[M] extends Reference[M] ? never : M) : M;
}[keyof Reference];

test("every method can replace the reference's", () => {
  expectTypeOf<Differing>().toEqualTypeOf<Exceptions>();
});

type DifferingJson = {
  [M in keyof Reference["json"]]: Redis["json"][M] extends Reference["json"][M] ? never : M;
}[keyof Reference["json"]];

test("every method of json can replace the reference's, except get, which returns null for no key", () => {
  expectTypeOf<DifferingJson>().toEqualTypeOf<"get">();
});
