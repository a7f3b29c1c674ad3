import { ms } from "../format.js";
import type { FleetReport } from "../handlers/fleet.js";
import type { LatencyStats } from "../latencies.js";
import { barChart } from "../present.js";
import type { Check, Outcome } from "../result.js";
import type { GatewaySample } from "./metrics.js";
import type { Prediction } from "./model.js";

/** The measurements of a fleet and its gateway, with limits on or off. */
export interface Measurement extends Omit<FleetReport, "latencies"> {
  readonly limits: boolean;
  readonly invocations: number;
  readonly latency: LatencyStats;
  readonly samples: readonly GatewaySample[];
  readonly peakOpen: number;
  readonly evicted: number;
  readonly refused: number;
  readonly upstream: number;
}

/** The tolerance of the model's predictions. */
const NEAR = 0.15;

const nameOf = ({ limits }: Measurement): string => (limits ? "with limits" : "without limits");
const styleOf = (row: Measurement) => ({ label: nameOf(row), hue: row.limits ? 0 : 1 });

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
  model: Prediction,
  limits: { readonly softLimit: number; readonly hardLimit: number },
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const [unlimited, limited] = [rows.find((row) => !row.limits)!, rows.find((row) => row.limits)!];
  const { softLimit, hardLimit } = limits;
  const off = unlimited.peakOpen / model.connectionsUnlimited - 1;
  const [least, most] = model.connectionsLimited;
  const checks: Check[] = [
    {
      expectation: "the gateway never holds more connections than its hard limit",
      passed: limited.peakOpen <= hardLimit,
      actual: `at most ${limited.peakOpen} of ${hardLimit}`,
    },
    {
      expectation: "with limits, every invocation succeeds in the end",
      passed: limited.failed === 0,
      actual: `${limited.failed} of ${limited.invocations} failed; ${limited.refusals} refusals and ${limited.cutOff} lost connections were retried`,
    },
    {
      expectation: `the model of docs/scale.md predicts the connections without limits within ${NEAR * 100}%`,
      passed: Math.abs(off) <= NEAR,
      actual: `${model.connectionsUnlimited} predicted, ${unlimited.peakOpen} measured`,
    },
    {
      expectation:
        "the model predicts the range of connections with limits, evictions, and no refusals if all fit",
      passed:
        limited.peakOpen >= least * (1 - NEAR) &&
        limited.peakOpen <= most * (1 + NEAR) &&
        limited.evicted > 0 === model.evicts &&
        // More instances than the limit may be refused, and need not be: idle ones make room for those that come.
        (limited.refused === 0 || model.refuses),
      actual: `${least} to ${most} predicted, ${limited.peakOpen} measured; ${limited.evicted} evicted, ${limited.refused} refused`,
    },
    {
      expectation: "the connections to Redis do not grow with the fleet",
      passed: Math.max(unlimited.upstream, limited.upstream) <= 2,
      actual: `${Math.max(unlimited.upstream, limited.upstream)} for ${unlimited.instances} instances`,
    },
  ];
  return {
    summary:
      `A fleet of up to ${unlimited.instances} instances held at most ${unlimited.peakOpen} connections without limits, and ${limited.peakOpen} with a soft limit of ${softLimit} and a hard limit of ${hardLimit}: ` +
      `${limited.evicted} idle connections were evicted, ${limited.refused} new ones refused and ${limited.reopened} reopened after a thaw. ` +
      `The 99th percentile of a command is ${ms(limited.latency.p99)} with limits and ${ms(unlimited.latency.p99)} without (median: ${ms(limited.latency.p50)} and ${ms(unlimited.latency.p50)}); ${limited.failed} invocations failed. ` +
      `The gateway used ${limited.upstream} connection${limited.upstream === 1 ? "" : "s"} to Redis. ` +
      (checks.every((check) => check.passed)
        ? "Reproduced: evicting idle connections between the limits and refusing above them keeps the fleet within the hard limit. The model of docs/scale.md holds."
        : `Not reproduced: ${checks
            .filter((check) => !check.passed)
            .map(({ expectation, actual }) => `${expectation} (${actual})`)
            .join("; ")}.`),
    headlines: [
      { value: String(unlimited.peakOpen), label: "connections at the peak without limits" },
      { value: String(limited.peakOpen), label: "connections at the peak with limits" },
      { value: String(limited.evicted), label: "idle connections evicted" },
      { value: String(limited.upstream), label: "connections to Redis" },
    ],
    checks,
    table: {
      columns: [
        { title: "gateway" },
        ...[
          "invocations",
          "instances",
          "peak open",
          "evicted",
          "refused",
          "reopened",
          "cut off",
          "failed",
          "throttled",
          "p50 ms",
          "p99 ms",
        ].map((title) => ({ title, number: true })),
      ],
      rows: rows.map((row) => ({
        newGroup: true,
        cells: [
          nameOf(row),
          ...[
            row.invocations,
            row.instances,
            row.peakOpen,
            row.evicted,
            row.refused,
            row.reopened,
            row.cutOff,
            row.failed,
            row.throttled,
          ].map(String),
          row.latency.p50.toFixed(2),
          row.latency.p99.toFixed(2),
        ],
      })),
    },
    charts: [
      {
        kind: "lines",
        title: "Connections open at the gateway over time",
        unit: "connections",
        along: "s",
        panels: [
          {
            title: "both gateways",
            lines: rows.map((row) => ({
              ...styleOf(row),
              points: row.samples.map(({ atS, open }) => [atS, open] as const),
            })),
          },
        ],
      },
      {
        kind: "curves",
        title: "Command latency by percentile, connecting and refusals included",
        unit: "ms",
        panels: [
          {
            title: "both gateways",
            lines: rows.map((row) => ({ ...styleOf(row), points: row.latency.curve })),
          },
        ],
      },
      barChart(rows, {
        title: "Peak of open connections, measured and predicted",
        unit: "",
        groupOf: () => "both gateways",
        styleOf,
        valueOf: ({ peakOpen }) => peakOpen,
        spread: {
          label: "the range that the model predicts",
          of: (row) =>
            row.limits
              ? { low: least, high: most }
              : { low: model.connectionsUnlimited, high: model.connectionsUnlimited },
        },
      }),
    ],
  };
}
