import { factor, listed, ms } from "../format.js";
import type { Spread } from "../latencies.js";
import { barChart, grouped, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";
import type { CaseLatencies } from "../series.js";

export interface Case {
  readonly client: string;
  readonly label: string;
  readonly memoryMb: number;
  /** One connection for all invocations, or one each. */
  readonly reused: boolean;
}

export type Measurement = Case & CaseLatencies & { readonly init: Spread; readonly first: Spread };

const sizeOf = ({ memoryMb }: Case): string => `${memoryMb.toLocaleString("en")} MB`;
const wayOf = ({ reused }: Case): string => (reused ? "reused" : "one per invocation");

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const sizes = [...new Set(rows.map(({ memoryMb }) => memoryMb))];
  const [small, large] = [sizes[0]!, sizes.at(-1)!];
  const pick = (client: string, memoryMb: number, reused: boolean) =>
    rows.find((row) => row.client === client && row.memoryMb === memoryMb && row.reused === reused)!;
  // The mean, since under a quota some invocations pay for the others.
  const extra = (client: string, size: number) =>
    pick(client, size, false).all.mean - pick(client, size, true).all.mean;
  const clients = grouped(rows, ({ client }) => client).map(([client, [row]]) => ({
    client,
    label: row!.label,
  }));
  const compared = sizes.length > 1 ? clients : [];
  const checks: Check[] = compared.flatMap(({ client, label }) => [
    {
      expectation: `${label}: connecting takes longer at ${small} MB than at ${large} MB`,
      passed: extra(client, small) > extra(client, large),
      actual: `${ms(extra(client, small))} against ${ms(extra(client, large))} on average`,
    },
    {
      expectation: `${label}: the first invocation takes longer at ${small} MB than at ${large} MB`,
      passed: pick(client, small, true).first.median > pick(client, large, true).first.median,
      actual: `${ms(pick(client, small, true).first.median)} against ${ms(pick(client, large, true).first.median)}`,
    },
  ]);
  const ends = sizes.length > 1 ? [small, large] : [small];
  const atEach = (value: (size: number) => string) =>
    ends.map((size) => `${value(size)} at ${size} MB`).join(" and ");
  const allPassed = checks.every((check) => check.passed);
  const lead = clients[0]!;
  return {
    summary:
      `A connection per invocation instead of one for all adds, on average, ${listed(clients.map(({ client, label }) => `${atEach((size) => ms(extra(client, size)))} with ${label}`))}. ` +
      `Init phase and first invocation together take ${listed(clients.map(({ client, label }) => `${atEach((size) => `${Math.round(start(pick(client, size, true)))} ms`)} with ${label}`))}. ` +
      (compared.length === 0
        ? "Only one size was measured, so there is no comparison."
        : allPassed
          ? "Reproduced: connecting is slower with less memory (article: 6 to 7 ms at 128 MB), and starting even more so."
          : `Not reproduced: ${listed(checks.filter((check) => !check.passed).map(({ expectation, actual }) => `${expectation} (${actual})`))}.`),
    headlines: [
      { value: ms(extra(lead.client, small)), label: `for connecting, ${lead.label} at ${small} MB` },
      ...(sizes.length > 1
        ? [{ value: ms(extra(lead.client, large)), label: `for connecting at ${large} MB` }]
        : []),
      ...compared.slice(0, 2).map(({ client, label }) => ({
        value: factor(start(pick(client, small, true)) / start(pick(client, large, true))),
        label: `slower start at ${small} MB than at ${large} MB, ${label}`,
      })),
    ],
    checks,
    table: tableOf(rows, sizeOf, [
      ["function", sizeOf],
      ["client", ({ label }) => label],
      ["connection", wayOf],
      ["init ms", ({ init }) => init.median.toFixed(0), "number"],
      ["first ms", ({ first }) => first.median.toFixed(1), "number"],
      ["mean ms", ({ all }) => all.mean.toFixed(2), "number"],
      ["p50 ms", ({ all }) => all.p50.toFixed(2), "number"],
      ["p99 ms", ({ all }) => all.p99.toFixed(2), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Warm invocations: the mean",
        unit: "ms",
        logarithmic: true,
        groupOf: sizeOf,
        styleOf: (row) => ({ label: `${row.label}, ${wayOf(row)}`, hue: row.reused ? 0 : 1 }),
        valueOf: ({ all }) => all.mean,
        spread: {
          label: "the range from the median to the 99th percentile",
          of: ({ all }) => ({ low: all.p50, high: all.p99 }),
        },
      }),
      barChart(
        rows.filter(({ reused }) => reused),
        {
          title: "Init phase and first invocation",
          unit: "ms",
          logarithmic: true,
          groupOf: sizeOf,
          styleOf: ({ label }) => ({ label, hue: 2 }),
          valueOf: start,
          spread: {
            label: "the range over instances",
            of: ({ init, first }) => ({ low: init.min + first.min, high: init.max + first.max }),
          },
        },
      ),
    ],
  };
}

const start = ({ init, first }: Measurement): number => init.median + first.median;
