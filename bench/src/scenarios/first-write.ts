import { type BenchClient, commandsFunction } from "../bench-client.js";
import { atMost, exactly } from "../checks.js";
import { ms, withInterval } from "../format.js";
import { barChart, latencyColumns, tableOf } from "../present.js";
import { runPaused } from "../run-paused.js";
import { defineScenario, type Settings } from "../scenario.js";
import { ratio } from "../series.js";

/** A way to write after a pause: of warmline, or of a client as it ships. */
interface Way {
  readonly way: string;
  readonly writes?: string;
  readonly ready?: boolean;
  /** Other work before the write, in round trips. */
  readonly work?: number;
  /** The most times as long as a warm write. */
  readonly limit?: number;
  readonly client?: BenchClient;
}
const WAYS: readonly Way[] = [
  { way: "PING, then the write", writes: "at-most-once", ready: false, work: 0, limit: 2.2 },
  { way: "ready() during other work", writes: "at-most-once", ready: true, work: 1.5, limit: 1.1 },
  { way: "exactly-once", writes: "exactly-once", ready: false, work: 0, limit: 1.1 },
];

/** Times in s between two invocations, in real time; the function is frozen. */
const FROZEN_S = [0, 2, 60, 240];
const QUICK_FROZEN_S = [0, 2];

const pauseOf = ({ frozenS, tls }: { frozenS: number; tls: boolean }) =>
  `${frozenS === 0 ? "back to back" : `frozen for ${frozenS} s`}${tls ? ", TLS" : ""}`;
const nameOf = (row: Way & { frozenS: number; tls: boolean }) => `${row.way}, ${pauseOf(row)}`;

/** The invocations of an instance: fewer with long pauses, so that it takes about as long. */
const callsOf = (frozenS: number, { invocations }: Settings) =>
  Math.max(1, Math.round((invocations * 2) / Math.max(2, frozenS)));

/** Times the first write of an invocation after a freeze, by the ways to make it safe. */
export default defineScenario({
  name: "first-write",
  title: "The first write after a freeze",
  question: "How much longer does the first write after a freeze take than a warm one?",
  clients: [],
  order: 6.6,
  lanes: 80,
  defaults: { rounds: [10, 1], invocations: [60, 3] },
  cases: async ({ rig, clients, settings, record }) => {
    const rttMs = settings.rtts?.[0] ?? 20;
    const networks = [
      { tls: false, rttMs, rig: await rig({ rttMs, tls: false }) },
      { tls: true, rttMs, rig: await rig({ rttMs, tls: true }) },
    ];
    const pauses = settings.quick ? QUICK_FROZEN_S : FROZEN_S;
    record({ rttMs, tls: "both", frozenS: pauses });
    const ways: Way[] = [...WAYS, ...clients.map((client) => ({ way: client.label, client }))];
    return networks.flatMap((network) =>
      pauses.flatMap((frozenS) => ways.map((each) => ({ ...each, ...network, frozenS }))),
    );
  },
  durationS: ({ frozenS }, settings) => frozenS * callsOf(frozenS, settings),
  label: nameOf,
  run: ({ rig, client, writes = "", ready, work = 0, rttMs, frozenS }, { settings }) => {
    const { url, token } = rig.endpoint;
    const env = { WARMLINE_URL: url, WARMLINE_TOKEN: token, BENCH_WRITES: writes };
    const what = client
      ? commandsFunction(client, { keepAlive: true, reused: true }, rig.endpoint)
      : { handler: "first-write", env };
    const pauses = { calls: callsOf(frozenS, settings), pauseMs: frozenS * 1_000, frozen: frozenS > 0 };
    const event = client ? { command: "set" } : { ready, workMs: work * rttMs };
    return runPaused(what, rig.trust, event, client ? pauses : { ...pauses, latencyOf: Number });
  },
  report: (rows, { settings }) => {
    const warm = (tls: boolean) =>
      rows.find((row) => row.way === WAYS[0]!.way && row.frozenS === 0 && row.tls === tls)!.latencies;
    const compared = rows.map((row) => ({ ...row, slower: ratio(row.latencies, warm(row.tls)) }));
    const frozen = compared.filter(({ frozenS }) => frozenS > 0);
    return {
      headlines: frozen.map((row) => ({
        value: withInterval(row.latencies.estimate(), ms),
        label: `${nameOf(row)}, p50`,
      })),
      checks: frozen.flatMap((row) => [
        ...(row.limit === undefined
          ? []
          : [
              exactly(`${nameOf(row)}: no call fails`, row.failed.total === 0, `${row.failed.total} failed`),
              atMost(`${nameOf(row)}: at most ${row.limit} times a warm write`, row.slower, row.limit),
            ]),
      ]),
      table: tableOf(compared, pauseOf, [
        ["pause", pauseOf],
        ["way", ({ way }) => way],
        ["calls", ({ latencies }) => latencies.count],
        ["failed", ({ failed }) => failed.total],
        ["longest pause s", ({ longestPauseS }) => longestPauseS.max, 1],
        ...latencyColumns("latencies"),
        ["x warm", ({ slower }) => slower],
      ]),
      charts: [
        barChart("Median of the first write", "ms", compared, {
          group: pauseOf,
          style: ({ way }) => ({ label: way, hue: 1 + WAYS.findIndex((each) => each.way === way) }),
          value: ({ latencies }) => latencies.estimate(),
        }),
      ],
      notes: [
        `Each case runs ${settings.invocations} invocations of one SET in each of ${settings.rounds} instances, fewer after long freezes. The function thaws with the invocation waiting, as on Lambda. Only the write is timed; of a client named with --clients, the whole handler.`,
        "ready() during other work: the handler calls ready(), and then does something else for one and a half round trips before it writes.",
        "A warm write is one with at-most-once, back to back, over the same network.",
      ],
    };
  },
});
