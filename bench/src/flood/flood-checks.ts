import { atMost, exactly } from "../results/checks.js";
import { count, ms } from "../results/format.js";
import type { Check } from "../results/result.js";
import { percentile, ratio, type Series } from "../statistics/series.js";
import type { FloodSample, IdleHeld } from "./measure.js";

/** The highest ratio of p99 during the flood to p99 before it. */
const SLOWER = 3;
const MAX_UPSTREAM = 16;
/** The memory in KB that each connection up to the limit may cost, after all floods. */
const KB_EACH = 100;

/** Checks what the gateway promises its active and idle connections. */
export function floodChecks(
  flooded: { readonly [Key in keyof FloodSample]: Series },
  idle: IdleHeld,
  limits: { readonly hard: number; readonly users: number; readonly idle: number },
): Check[] {
  const { quiet, flood, opened, served, refused, cut, lost, usersLost, openFlood, openAfter } = flooded;
  const p99 = percentile(99);
  const slower = ratio(flood, quiet, p99);
  const kbEach = ((flooded.memoryFlood.max - flooded.memoryQuiet.rounds[0]![0]!) * 1_000) / limits.hard;
  return [
    atMost(
      `active connections stay fast: p99 at most ${SLOWER}x its value before the flood`,
      slower,
      SLOWER,
      { detail: `${ms(flood.estimate(p99).value)} against ${ms(quiet.estimate(p99).value)}` },
    ),
    exactly(
      "no active connection is refused, closed or left without a response",
      usersLost.max === 0,
      `${usersLost.max} of ${limits.users}`,
    ),
    exactly(
      "the hard limit holds, and every connection above it gets a 503 with Retry-After",
      openFlood.max <= limits.hard &&
        cut.total + lost.total === 0 &&
        refused.total + served.total === opened.total,
      `at most ${openFlood.max} open of ${limits.hard}; of ${opened.total} new connections ${served.total} were served and ${refused.total} refused, ${cut.total} got no response, ${lost.total} were closed`,
    ),
    exactly(
      "after the flood only active connections are open",
      openAfter.max <= limits.users,
      `${openAfter.max} open, ${limits.users} active`,
    ),
    exactly(
      `memory is bounded: it grows by at most ${KB_EACH} KB per connection of the hard limit`,
      kbEach <= KB_EACH,
      `${count(kbEach)} KB per connection`,
    ),
    exactly(
      `${count(limits.idle)} idle connections stay open, with at most ${MAX_UPSTREAM} connections to Redis`,
      idle.open === limits.idle && idle.answered === limits.idle && idle.upstream <= MAX_UPSTREAM,
      `${idle.open} open with ${idle.upstream} to Redis; ${idle.answered} responded when used again; ${idle.kbEach.toFixed(1)} KB each`,
    ),
  ];
}
