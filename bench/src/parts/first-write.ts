import { callsOf, functionOf, isWarm, styleOf, type Way, waysOf } from "../idle/first-write-ways.js";
import { LANES } from "../idle/idle-pauses.js";
import { atMost, exactly } from "../results/checks.js";
import { headline, ms } from "../results/format.js";
import { barChart, latencyColumns, tableOf } from "../results/present.js";
import { runPaused } from "../rig/run-paused.js";
import { defineScenario } from "../scenario.js";
import { ratio } from "../statistics/series.js";

const pauseOf = ({ frozenS, tls }: { frozenS: number; tls: boolean }) =>
  `${frozenS === 0 ? "back to back" : `frozen for ${frozenS} s`}${tls ? ", TLS" : ""}`;
const nameOf = (row: Way & { frozenS: number; tls: boolean }) => `${row.way}, ${pauseOf(row)}`;

/** Times the first write of an invocation after a freeze: by warmline's ways to make it safe, and by clients over TLS. */
export default defineScenario({
  name: "first-write",
  title: "The first write after a freeze",
  question: "How much longer does the first write after a freeze take than a warm one?",
  clients: "shipped",
  fixed: ["tls"],
  lanes: Math.min(120, LANES),
  defaults: { rounds: [1, 1], invocations: [20, 3] },
  cases: async ({ rig, clients, settings, record }) => {
    const rttMs = settings.rtts?.[0] ?? 20;
    const networks = [
      { tls: false, rttMs, rig: await rig({ rttMs, tls: false }) },
      { tls: true, rttMs, rig: await rig({ rttMs, tls: true }) },
    ];
    await networks[1]!.rig.command("SET", "first-write", "hello");
    const cases = networks.flatMap((network) =>
      waysOf(clients, settings, network.tls).map((each) => ({ ...each, ...network })),
    );
    record({ rttMs, tls: "both", frozenS: [...new Set(cases.map(({ frozenS }) => frozenS))] });
    return cases;
  },
  durationS: (each, settings) => each.frozenS * callsOf(each, settings),
  label: nameOf,
  run: (each, { settings }) => {
    const { rig, rttMs, frozenS } = each;
    const { what, event } = functionOf(each, rig, rttMs);
    const pauses = { calls: callsOf(each, settings), pauseMs: frozenS * 1_000, frozen: frozenS > 0 };
    return runPaused(what, rig.trust, event, { ...pauses, latencyOf: Number });
  },
  report: (rows, { settings }) => {
    const warm = (each: (typeof rows)[number]) =>
      rows.find((row) => row.tls === each.tls && isWarm(row, each))!.latencies;
    const compared = rows.map((row) => ({ ...row, slower: ratio(row.latencies, warm(row)) }));
    const frozen = compared.filter(({ frozenS }) => frozenS > 0);
    return {
      headlines: frozen
        .filter(({ client }) => client === undefined)
        .map((row) => headline(row.latencies.estimate(), ms, `${nameOf(row)}, p50`)),
      checks: frozen.flatMap(({ limit, failed, slower, ...row }) =>
        limit === undefined
          ? []
          : [
              exactly(`${nameOf(row)}: no call fails`, failed.total === 0, `${failed.total} failed`),
              atMost(`${nameOf(row)}: at most ${limit} times a warm write`, slower, limit),
            ],
      ),
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
          style: styleOf,
          value: ({ latencies }) => latencies.estimate(),
        }),
      ],
      notes: [
        `Each case of warmline's ways runs ${settings.invocations} invocations of one SET in each of ${settings.rounds} instances, those of clients a third; fewer after long freezes. The function thaws with the invocation waiting, as on Lambda. The command alone is timed.`,
        "Clients run a GET or a SET with their settings as shipped, over TLS: to the gateway, or over TCP to Redis. A SET that no response confirms may have been lost or applied; the scenario faults measures that.",
        "ready() during other work: the handler calls ready(), and then does something else for one and a half round trips before it writes.",
        "x warm compares with a write with at-most-once, back to back, over the same network; for a client with its own command back to back.",
      ],
    };
  },
});
