import { atMost, exactly } from "../checks.js";
import { ms, withInterval } from "../format.js";
import { barChart, latencyColumns, tableOf } from "../present.js";
import { runPaused } from "../run-paused.js";
import { defineScenario } from "../scenario.js";
import { ratio } from "../series.js";

/** Ways to write after a pause. `workMs` is in round trips. */
const WAYS = [
  { way: "PING, then the write", writes: "at-most-once", ready: false, work: 0, limit: 2.2 },
  { way: "ready() during other work", writes: "at-most-once", ready: true, work: 1.5, limit: 1.1 },
  { way: "exactly-once", writes: "exactly-once", ready: false, work: 0, limit: 1.1 },
] as const;

/** Times in s between two invocations, in real time; the function is frozen. */
const FROZEN_S = [0, 2, 60, 240];
const QUICK_FROZEN_S = [0, 2];

const pauseOf = ({ frozenS }: { frozenS: number }) =>
  frozenS === 0 ? "back to back" : `frozen for ${frozenS} s`;

/** Times the first write of an invocation after a freeze, by the ways to make it safe. */
export default defineScenario({
  name: "first-write",
  title: "The first write after a freeze",
  question: "How much longer does the first write after a freeze take than a warm one?",
  clients: [],
  order: 6.6,
  lanes: 40,
  defaults: { rounds: [10, 1], invocations: [60, 3] },
  cases: async ({ rig, settings, record }) => {
    const rttMs = settings.rtts?.[0] ?? 20;
    const own = await rig({ rttMs });
    const pauses = settings.quick ? QUICK_FROZEN_S : FROZEN_S;
    record({ rttMs, frozenS: pauses });
    return pauses.flatMap((frozenS) => WAYS.map((each) => ({ ...each, frozenS, rttMs, rig: own })));
  },
  label: (each) => `${each.way}, ${pauseOf(each)}`,
  run: ({ rig, writes, ready, work, rttMs, frozenS }, { settings }) => {
    const env = { WARMLINE_URL: rig.endpoint.url, WARMLINE_TOKEN: rig.endpoint.token, BENCH_WRITES: writes };
    const calls = Math.max(1, Math.round((settings.invocations * 2) / Math.max(2, frozenS)));
    return runPaused(
      { handler: "first-write", env },
      rig.trust,
      { ready, workMs: work * rttMs },
      {
        calls,
        pauseMs: frozenS * 1_000,
        frozen: frozenS > 0,
        latencyOf: Number,
      },
    );
  },
  report: (rows, { settings }) => {
    const warm = rows.find(({ way, frozenS }) => way === WAYS[0].way && frozenS === 0)!;
    const compared = rows.map((row) => ({ ...row, slower: ratio(row.latencies, warm.latencies) }));
    const frozen = compared.filter(({ frozenS }) => frozenS > 0);
    const nameOf = (row: { readonly way: string; readonly frozenS: number }) => `${row.way}, ${pauseOf(row)}`;
    return {
      headlines: frozen.map((row) => ({
        value: withInterval(row.latencies.estimate(), ms),
        label: `${nameOf(row)}, p50`,
      })),
      checks: frozen.flatMap((row) => [
        exactly(`${nameOf(row)}: no call fails`, row.failed.total === 0, `${row.failed.total} failed`),
        atMost(`${nameOf(row)}: at most ${row.limit} times a warm write`, row.slower, row.limit),
      ]),
      table: tableOf(compared, pauseOf, [
        ["pause", pauseOf],
        ["way", ({ way }) => way],
        ["calls", ({ latencies }) => latencies.count],
        ["failed", ({ failed }) => failed.total],
        ...latencyColumns("latencies"),
        ["x warm", ({ slower }) => slower],
      ]),
      charts: [
        barChart("Median of the first write", "ms", compared, {
          group: pauseOf,
          style: ({ way }) => ({ label: way, hue: WAYS.findIndex((each) => each.way === way) }),
          value: ({ latencies }) => latencies.estimate(),
        }),
      ],
      notes: [
        `Each case runs ${settings.invocations} invocations of one SET in each of ${settings.rounds} instances, fewer after long freezes. The function thaws with the invocation waiting, as on Lambda. Only the write is timed.`,
        "ready() during other work: the handler calls ready(), and then does something else for one and a half round trips before it writes.",
        "A warm write is one with at-most-once, back to back.",
      ],
    };
  },
});
