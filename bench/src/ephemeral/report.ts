import type { BenchClient } from "../bench-client.js";
import { factor, listed, ms } from "../format.js";
import type { LoopEvent } from "../handlers/loop.js";
import { barChart, curveChart, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import type { CaseLatencies } from "../series.js";

export interface Case extends Pick<LoopEvent, "use" | "awaited"> {
  readonly client: string;
  readonly label: string;
  readonly protocol: BenchClient["protocol"];
  readonly rttMs: number;
}

export type Measurement = Case & CaseLatencies;

export const nameOf = ({ use, awaited }: Pick<Case, "use" | "awaited">): string =>
  `${use}${awaited ? "" : ", not awaited"}`;
const placeOf = ({ label, rttMs }: Case): string => `${label}, ${rttMs} ms`;

const pick = (rows: readonly Measurement[], like: Case, use: Case["use"], awaited: boolean): Measurement =>
  rows.find(
    (row) =>
      row.client === like.client && row.rttMs === like.rttMs && row.use === use && row.awaited === awaited,
  )!;

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const each = rows.filter(({ use, awaited }) => use === "reuse" && awaited);
  const near = each.filter(({ rttMs }) => rttMs === each[0]!.rttMs);
  const extra = (like: Measurement, awaited: boolean, of: "p50" | "p99") =>
    pick(rows, like, "ephemeral", awaited).all[of] - pick(rows, like, "reuse", awaited).all[of];
  const inWords = (awaited: boolean) =>
    listed(near.map((row) => `${ms(extra(row, awaited, "p50"))} with ${row.label}`));
  const checks: Check[] = each.map((row) => {
    const [one, anew] = [pick(rows, row, "reuse", true), pick(rows, row, "ephemeral", true)];
    return {
      expectation: `${placeOf(row)}: one connection for all is faster than one per command`,
      passed: anew.all.p50 > one.all.p50,
      actual: `p50 ${ms(one.all.p50)} against ${ms(anew.all.p50)}, p99 ${ms(one.all.p99)} against ${ms(anew.all.p99)}`,
    };
  });
  const allPassed = checks.every((check) => check.passed);
  return {
    summary:
      `If the reply is awaited, a connection per command adds to the median, over a round trip of ${near[0]!.rttMs} ms, ` +
      `${inWords(true)}. The article does not await replies. Measured so, it adds ${inWords(false)}: the time to create ` +
      "a client, not to connect (article: 75 us). " +
      (allPassed
        ? "Reproduced: one connection for all is faster everywhere. The article calls connections lightweight; here each takes at least the round trips of its handshake."
        : `Not reproduced everywhere: ${listed(checks.filter((check) => !check.passed).map(({ expectation }) => expectation))}.`),
    headlines: near.slice(0, 4).map((row) => ({
      value: factor(pick(rows, row, "ephemeral", true).all.p50 / row.all.p50),
      label: `slower with a connection per command, ${row.label}`,
    })),
    checks,
    table: tableOf(rows, placeOf, [
      ["client", ({ label }) => label],
      ["round trip ms", ({ rttMs }) => String(rttMs), "number"],
      ["connection", ({ use }) => use],
      ["time until", ({ awaited }) => (awaited ? "the reply" : "the call returns")],
      ["p50 ms", ({ all }) => all.p50.toFixed(3), "number"],
      ["p90 ms", ({ all }) => all.p90.toFixed(3), "number"],
      ["p99 ms", ({ all }) => all.p99.toFixed(3), "number"],
    ]),
    charts: [
      curveChart(rows, {
        title: "Latency by percentile",
        groupOf: placeOf,
        styleOf: (row) => ({ label: nameOf(row), hue: row.use === "reuse" ? 0 : 1, dashed: !row.awaited }),
        curveOf: ({ all }) => all.curve,
      }),
      barChart(
        rows.filter(({ awaited }) => awaited),
        {
          title: "The median, awaited",
          unit: "ms",
          groupOf: placeOf,
          styleOf: ({ use }) => ({ label: use, hue: use === "reuse" ? 0 : 1 }),
          valueOf: ({ all }) => all.p50,
          spread: {
            label: "the range of the rounds' medians",
            of: ({ rounds }) => ({ low: rounds.min, high: rounds.max }),
          },
        },
      ),
    ],
  };
}
