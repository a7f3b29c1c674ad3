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

/** Finding, figures, checks, table and charts of the numbers. */
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
      expectation: `${own[0]!.label} is faster with keep-alive than without at every distance`,
      passed: worse.length === 0,
      actual: `least ${factor(gain(least))}, at ${distanceOf(least)}`,
    };
  });
  const allPassed = checks.every((check) => check.passed);
  const [cold, warm] = [farthest.first.median, farthest.all.p50];
  return {
    summary:
      `With ${lead[0]!.label}, a kept connection makes the median command faster by ${listed(gains)}. ` +
      `The first invocation of an instance, which has to connect, takes ${ms(cold)} where a warm one takes ${ms(warm)} ` +
      `(${distanceOf(farthest)}): ${factor(cold / warm)} as long. ` +
      (allPassed
        ? `The articles' direction comes out for every client and at every distance: reuse beats reconnecting, with ${lead[0]!.label} by ${ms(saved(lead[0]!))} at ${distanceOf(lead[0]!)} and by ${ms(saved(farthest))} at ${distanceOf(farthest)}.`
        : `The articles' direction does not come out everywhere: ${listed(checks.filter((check) => !check.passed).map(({ expectation, actual }) => `that ${expectation} was missed (${actual})`))}.`),
    headlines: lead
      .filter(({ rttMs }) => rttMs === farthest.rttMs)
      .map((row) => ({
        value: factor(gain(row)),
        label: `what ${row.label} gains at ${distanceOf(row)}`,
      })),
    checks,
    table: tableOf(on, distanceOf, [
      ["distance", distanceOf],
      ["client", ({ label }) => label],
      ["first ms", (row) => row.first.median.toFixed(2), "number"],
      ["warm p50 ms", (row) => row.all.p50.toFixed(2), "number"],
      ["warm p99 ms", (row) => row.all.p99.toFixed(2), "number"],
      [
        "off p50 ms",
        (row) => rows.find((other) => sameBut(other, row) && !other.keepAlive)!.all.p50.toFixed(2),
        "number",
      ],
      ["gain", (row) => factor(gain(row)), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Warm invocations: the median at each distance",
        unit: "ms",
        logarithmic: true,
        groupOf: distanceOf,
        styleOf: ({ label, keepAlive }) => ({
          label: `${label}, keep-alive ${keepAlive ? "on" : "off"}`,
          hue: keepAlive ? 0 : 1,
        }),
        valueOf: ({ all }) => all.p50,
        spread: {
          words: "from the fastest to the slowest round's median",
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
          words: "from the fastest to the slowest instance",
          of: ({ first }) => ({ low: first.min, high: first.max }),
        },
      }),
    ],
  };
}
