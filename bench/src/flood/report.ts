import { factor, ms } from "../format.js";
import type { Crowd } from "../handlers/flood-crowd.js";
import type { RecordedPhase, UsersResult } from "../handlers/flood-users.js";
import { median, spreadOf } from "../latencies.js";
import { barChart, curveChart, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";

const PHASES = ["quiet", "flood", "after"] as const;
export type Phase = (typeof PHASES)[number];

/** One flood, with what came before and after it. */
export interface Round {
  readonly recorded: Readonly<Record<Phase, RecordedPhase>>;
  readonly crowd: Crowd;
  /** Connections open when the flood stood highest, and once it had gone. */
  readonly open: { readonly flood: number; readonly after: number };
  /** The gateway's memory in MB. */
  readonly memoryMb: Readonly<Record<Phase, number>>;
  /** Connections to Redis. */
  readonly upstream: number;
}

/** Many connections that do nothing. */
export interface Idle {
  readonly wanted: number;
  readonly open: number;
  readonly upstream: number;
  /** Idle connections that responded once more at the end. */
  readonly answered: number;
  readonly memoryMb: { readonly before: number; readonly after: number };
}

/** The measurements of a run. */
export interface Measurement {
  readonly rounds: readonly Round[];
  readonly users: UsersResult;
  readonly idle: Idle;
  readonly hardLimit: number;
  /** Connections in use. */
  readonly inUse: number;
}

/** The highest ratio of p99 during the flood to p99 before it. */
const SLOWER = 3;
const MAX_UPSTREAM = 16;
/** The memory in KB that each connection up to the limit may cost, after all floods. */
const KB_EACH = 100;

const TITLES = { quiet: "before the flood", flood: "during the flood", after: "after the flood" };
const HUES = { quiet: 0, flood: 1, after: 2 };
const perConnectionKb = (bytesMb: number, connections: number) => (bytesMb * 1_000) / connections;

/** Builds the report of the measurements. */
export function buildReport(
  measured: Measurement,
): Pick<Outcome, "headlines" | "summary" | "checks" | "table" | "charts"> {
  const { rounds, users, idle, hardLimit, inUse } = measured;
  const sum = (of: (crowd: Crowd) => number) => rounds.reduce((total, { crowd }) => total + of(crowd), 0);
  const p99 = (phase: Phase) => median(rounds.map(({ recorded }) => recorded[phase].p99));
  const ratio = (phase: Phase) =>
    median(rounds.map(({ recorded }) => recorded[phase].p99 / recorded.quiet.p99));
  const [slower, later] = [ratio("flood"), ratio("after")];
  const [first, last] = [rounds[0]!.memoryMb, rounds.at(-1)!.memoryMb];
  const grown = Math.max(...rounds.map(({ memoryMb }) => memoryMb.flood)) - first.quiet;
  const each = perConnectionKb(grown, hardLimit);
  const idleEach = perConnectionKb(idle.memoryMb.after - idle.memoryMb.before, idle.wanted);
  const most = Math.max(...rounds.map(({ open }) => open.flood));
  const left = Math.max(...rounds.map(({ open }) => open.after));
  const [opened, refused, served] = [
    sum((crowd) => crowd.opened),
    sum((crowd) => crowd.refused),
    sum((crowd) => crowd.served),
  ];
  const upstream = Math.max(...rounds.map((round) => round.upstream));
  const checks: Check[] = [
    {
      expectation: `active connections stay fast: p99 at most ${SLOWER}x its value before the flood`,
      passed: slower <= SLOWER,
      actual: `${ms(p99("flood"))} against ${ms(p99("quiet"))}; the median of the rounds' ratios is ${slower.toFixed(2)}x`,
    },
    {
      expectation: "no active connection is refused, closed or left without a response",
      passed: users.lost === 0,
      actual: `${users.lost} of ${inUse}`,
    },
    {
      expectation: "the hard limit holds, and every connection above it gets a 503 with Retry-After",
      passed: most <= hardLimit && sum(({ cut, lost }) => cut + lost) === 0 && refused + served === opened,
      actual: `at most ${most} open of ${hardLimit}; of ${opened} new connections ${served} were served and ${refused} refused, ${sum(({ cut }) => cut)} got no response, ${sum(({ lost }) => lost)} were closed`,
    },
    {
      expectation: "after the flood only active connections are open",
      passed: left <= inUse,
      actual: `${left} open, ${inUse} active`,
    },
    {
      expectation: `memory is bounded: it grows by at most ${KB_EACH} KB per connection of the hard limit`,
      passed: each <= KB_EACH,
      actual: `${first.quiet.toFixed(0)} MB before, ${first.flood.toFixed(0)} in the first flood, ${last.flood.toFixed(0)} in the last, ${last.after.toFixed(0)} after it: ${each.toFixed(0)} KB per connection`,
    },
    {
      expectation: `${idle.wanted.toLocaleString("en")} idle connections stay open, with at most ${MAX_UPSTREAM} connections to Redis`,
      passed: idle.open === idle.wanted && idle.answered === idle.wanted && idle.upstream <= MAX_UPSTREAM,
      actual: `${idle.open} open with ${idle.upstream} to Redis; ${idle.answered} responded when used again; ${idleEach.toFixed(1)} KB each`,
    },
  ];
  const allPassed = checks.every((check) => check.passed);
  const rows = PHASES.map((phase) => ({ phase, all: users.phases[phase]! }));
  return {
    headlines: [
      { value: factor(slower), label: "p99 of active connections during the flood, relative to before" },
      { value: String(refused), label: `refused of ${opened} new connections` },
      { value: `${idleEach.toFixed(1)} KB`, label: "memory per idle connection" },
    ],
    summary:
      `While twice as many connections arrived as the hard limit of ${hardLimit} allows, the 99th percentile of active connections was ${ms(p99("flood"))} instead of ${ms(p99("quiet"))} (${factor(slower)}); after the flood it was ${ms(p99("after"))} (${factor(later)}). ` +
      `${refused} connections were refused and ${served} served; the gateway used ${upstream} connection${upstream === 1 ? "" : "s"} to Redis. ` +
      (allPassed
        ? "All checks passed: the limits protect active connections."
        : `Failed: ${checks
            .filter((check) => !check.passed)
            .map((check) => `${check.expectation} (${check.actual})`)
            .join("; ")}.`),
    checks,
    table: tableOf(rows, () => "", [
      ["phase", ({ phase }) => TITLES[phase]],
      ["requests", ({ all }) => String(all.count), "number"],
      ["p50 ms", ({ all }) => all.p50.toFixed(2), "number"],
      ["p99 ms, median of rounds", ({ phase }) => p99(phase).toFixed(2), "number"],
      ["relative to before", ({ phase }) => `${ratio(phase).toFixed(2)}x`, "number"],
      ["max ms", ({ all }) => all.max.toFixed(1), "number"],
      [
        "memory MB",
        ({ phase }) => median(rounds.map(({ memoryMb }) => memoryMb[phase])).toFixed(0),
        "number",
      ],
    ]),
    charts: [
      curveChart(rows, {
        title: "Latency of active connections by percentile",
        groupOf: () => "all rounds",
        styleOf: ({ phase }) => ({ label: TITLES[phase], hue: HUES[phase] }),
        curveOf: ({ all }) => all.curve,
      }),
      barChart(rows, {
        title: "99th percentile of active connections",
        unit: "ms",
        groupOf: () => "median of the rounds",
        styleOf: ({ phase }) => ({ label: TITLES[phase], hue: HUES[phase] }),
        valueOf: ({ phase }) => p99(phase),
        spread: {
          label: "the range of the rounds",
          of: ({ phase }) => {
            const { min, max } = spreadOf(rounds.map(({ recorded }) => recorded[phase].p99));
            return { low: min, high: max };
          },
        },
      }),
    ],
  };
}
