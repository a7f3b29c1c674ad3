import { factor, listed, ms } from "../format.js";
import type { Spread } from "../latencies.js";
import { barChart, grouped, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import type { CaseLatencies } from "../series.js";

export interface Case {
  readonly client: string;
  readonly label: string;
  readonly rttMs: number;
  readonly tls: boolean;
  readonly keepAlive: boolean;
}

/** A case's numbers, in ms: warm invocations, and the first of each instance. */
export type Measurement = Case & CaseLatencies & { readonly first: Spread };

export const distanceOf = ({ rttMs, tls }: Pick<Case, "rttMs" | "tls">): string =>
  `${rttMs} ms${tls ? ", TLS" : ""}`;

/** Returns how many times faster a case is with keep-alive than without. */
function gainOf(rows: readonly Measurement[], row: Measurement): number {
  const off = rows.find((other) => sameBut(other, row) && !other.keepAlive)!;
  return off.all.p50 / row.all.p50;
}

const sameBut = (a: Case, b: Case): boolean =>
  a.client === b.client && a.rttMs === b.rttMs && a.tls === b.tls;

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const on = rows.filter(({ keepAlive }) => keepAlive);
  const lead = on.filter(({ client }) => client === on[0]!.client);
  const gain = (row: Measurement) => gainOf(rows, row);
  const farthest = lead.at(-1)!;
  const saved = (row: Measurement) => row.all.p50 * (gain(row) - 1);
  const gains = lead.map((row) => `${factor(gain(row))} at ${distanceOf(row)}`);
  const checks: Check[] = grouped(on, ({ client }) => client).map(([, own]) => {
    const worse = own.filter((row) => gain(row) <= 1);
    const least = own.reduce((low, row) => (gain(row) < gain(low) ? row : low));
    return {
      expectation: `${own[0]!.label} is faster with keep-alive than without at every round-trip time`,
      passed: worse.length === 0,
      actual: `at least ${factor(gain(least))}, at ${distanceOf(least)}`,
    };
  });
  const allPassed = checks.every((check) => check.passed);
  const [cold, warm] = [farthest.first.median, farthest.all.p50];
  return {
    summary:
      `With ${lead[0]!.label}, keep-alive makes the median command faster: ${listed(gains)}. ` +
      `The first invocation of an instance, which connects, takes ${ms(cold)}; a warm one takes ${ms(warm)} ` +
      `(${distanceOf(farthest)}, ${factor(cold / warm)} as long). ` +
      (allPassed
        ? `Reproduced for every client and round-trip time: keep-alive is faster than reconnecting. It saves ${lead[0]!.label} ${ms(saved(lead[0]!))} at ${distanceOf(lead[0]!)} and ${ms(saved(farthest))} at ${distanceOf(farthest)}.`
        : `Not reproduced: ${listed(checks.filter((check) => !check.passed).map(({ expectation, actual }) => `${expectation} (${actual})`))}.`),
    headlines: lead
      .filter(({ rttMs }) => rttMs === farthest.rttMs)
      .map((row) => ({
        value: factor(gain(row)),
        label: `speedup of ${row.label} at ${distanceOf(row)}`,
      })),
    checks,
    table: tableOf(on, distanceOf, [
      ["round trip", distanceOf],
      ["client", ({ label }) => label],
      ["first ms", (row) => row.first.median.toFixed(2), "number"],
      ["warm p50 ms", (row) => row.all.p50.toFixed(2), "number"],
      ["warm p99 ms", (row) => row.all.p99.toFixed(2), "number"],
      [
        "p50 ms without keep-alive",
        (row) => rows.find((other) => sameBut(other, row) && !other.keepAlive)!.all.p50.toFixed(2),
        "number",
      ],
      ["speedup", (row) => factor(gain(row)), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Warm invocations: median by round-trip time",
        unit: "ms",
        logarithmic: true,
        groupOf: distanceOf,
        styleOf: ({ label, keepAlive }) => ({
          label: `${label}, keep-alive ${keepAlive ? "on" : "off"}`,
          hue: keepAlive ? 0 : 1,
        }),
        valueOf: ({ all }) => all.p50,
        spread: {
          label: "the range of the rounds' medians",
          of: ({ rounds }) => ({ low: rounds.min, high: rounds.max }),
        },
      }),
      barChart(on, {
        title: "The first invocation of an instance, which connects",
        unit: "ms",
        logarithmic: true,
        groupOf: distanceOf,
        styleOf: ({ label }) => ({ label, hue: 2 }),
        valueOf: ({ first }) => first.median,
        spread: {
          label: "the range over instances",
          of: ({ first }) => ({ low: first.min, high: first.max }),
        },
      }),
    ],
  };
}
