import { IN_FLIGHT, KEYS, measureTrackedWrites, type TrackedWrites } from "../near/tracked-writes.js";
import { atMost } from "../results/checks.js";
import { headline } from "../results/format.js";
import { barChart, meanColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { mean, ratio } from "../statistics/series.js";

/** The CPU time that a SET may take with tracking, and with a prefix that its key lacks, relative to no tracking. */
const TRACKED = 1.5;
const UNTRACKED = 1.1;

interface Arm extends TrackedWrites {
  readonly arm: string;
  readonly hue: number;
}

const us = (value: number) => `${value.toFixed(1)} us`;

/** Measures the CPU time of Redis per write with broadcast tracking, as near caches need it. */
export default defineScenario({
  name: "tracking",
  title: "Writes with tracking",
  question: "How much CPU time does Redis need per write if gateways track keys for near caches?",
  clients: { words: [], reason: "The load is plain connections: servers are measured." },
  fixed: ["rtt", "tls", "engine"],
  order: 14.1,
  defaults: { rounds: [9, 1], seconds: [2, 0.3] },
  missing: redisMissing,
  cases: ({ clients, record }): Arm[] => {
    record({ engine: "redis-server", rttMs: 0, tls: false, inFlight: IN_FLIGHT });
    return [
      { arm: "no gateway", hue: 2, gateways: 0, prefix: "" },
      { arm: "1 gateway, the key lacks its prefix", hue: 1, gateways: 1, prefix: "other:" },
      { arm: "1 gateway", hue: 0, gateways: 1, prefix: "near:" },
      { arm: "4 gateways", hue: 3, gateways: 4, prefix: "near:" },
      ...clients.map((client) => ({
        arm: `1 gateway, ${client.label} writes`,
        hue: 4,
        gateways: 1,
        prefix: "near:",
        client,
      })),
    ];
  },
  label: ({ arm }) => arm,
  run: (arm, { settings }) => measureTrackedWrites(arm, settings.seconds),
  report: (rows, { settings }) => {
    const [none, lacking, one, four] = rows as [Row, Row, Row, Row];
    type Row = (typeof rows)[number];
    const relative = ({ usPerSet }: Row) => ratio(usPerSet, none.usPerSet, mean);
    return {
      headlines: [none, lacking, one, four].map(({ arm, usPerSet }) =>
        headline(usPerSet.estimate(mean), us, `of Redis's CPU time per SET, ${arm}`),
      ),
      checks: [
        atMost(`with 4 gateways a SET takes at most ${TRACKED}x the CPU time`, relative(four), TRACKED),
        atMost(
          `a SET of a key without a prefix takes at most ${UNTRACKED}x the CPU time`,
          relative(lacking),
          UNTRACKED,
        ),
      ],
      table: tableOf(rows, () => "", [
        ["tracking", ({ arm }) => arm],
        ...meanColumns({ writes: "SETs per round" }),
        ...meanColumns({ usPerSet: "CPU us per SET" }, 1),
        ["relative to no gateway", relative],
      ]),
      charts: [
        barChart("CPU time of Redis per SET", "us", rows, {
          style: ({ arm, hue }) => ({ label: arm, hue }),
          value: ({ usPerSet }) => usPerSet.estimate(mean),
        }),
      ],
      notes: [
        `${IN_FLIGHT} connections send SETs to ${KEYS} keys straight to Redis, one at a time each, for ${settings.seconds} s in each round. A client has ${IN_FLIGHT} SETs in flight; those over HTTP go through the gateway. The CPU time is used_cpu_user and used_cpu_sys of INFO. Each gateway has one tracking connection.`,
      ],
    };
  },
});
