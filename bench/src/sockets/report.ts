import { listed, ms, share } from "../format.js";
import { barChart } from "../present.js";
import type { Check, Outcome, Style } from "../result.js";
import type { Counts } from "./kernel.js";

/** The ways to reach the cluster, in the order of the table. */
export const WAYS = {
  cluster: "direct to the cluster, new connections per request",
  "gateway-request": "gateway, a connection per request",
  "gateway-kept": "gateway, keep-alive connections of warmline",
} as const;

export type Way = keyof typeof WAYS;

/** The sockets that one way of connecting leaves in the kernel. */
export interface Measurement {
  readonly way: Way;
  readonly requests: number;
  readonly failed: number;
  /** How long a request took, in ms. */
  readonly meanMs: number;
  readonly samples: readonly (Counts & { readonly atS: number })[];
  /** The most of each that was seen. */
  readonly peak: Counts;
}

const timeWait = ({ peak }: Measurement): number => peak.clientTimeWait + peak.serverTimeWait;
const STYLES: Record<Way, Omit<Style, "label">> = {
  cluster: { hue: 1 },
  "gateway-request": { hue: 2 },
  "gateway-kept": { hue: 0 },
};

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const pick = (way: Way) => rows.find((row) => row.way === way)!;
  const [straight, anew, kept] = [pick("cluster"), pick("gateway-request"), pick("gateway-kept")];
  const fall = (row: Measurement) => 1 - timeWait(row) / timeWait(straight);
  const checks: Check[] = [
    {
      expectation: "sockets in TIME_WAIT fall by over 90% with keep-alive connections to the gateway",
      passed: fall(kept) > 0.9,
      actual: `${timeWait(kept)} against ${timeWait(straight)}`,
    },
    {
      expectation: "sockets in TIME_WAIT fall too with one connection to the gateway per request",
      passed: fall(anew) > 0,
      actual: `${timeWait(anew)} against ${timeWait(straight)}`,
    },
    {
      expectation: "no request fails",
      passed: rows.every(({ failed }) => failed === 0),
      actual: `${rows.reduce((sum, { failed }) => sum + failed, 0)} of ${rows.reduce((sum, { requests }) => sum + requests, 0)}`,
    },
  ];
  return {
    summary:
      `The peak of sockets in TIME_WAIT is ${timeWait(straight)} if each request connects to the cluster's nodes directly, ` +
      `${timeWait(anew)} with one connection to the gateway per request (${share(fall(anew))} less), and ${timeWait(kept)} with keep-alive connections to the gateway (${share(fall(kept))} less). ` +
      `A request took ${listed(rows.map((row) => `${ms(row.meanMs)} (${WAYS[row.way]})`))}. ` +
      (checks[0]!.passed
        ? "Reproduced: keep-alive connections through a proxy remove most sockets in TIME_WAIT (article: 95% less). "
        : "Not reproduced: sockets in TIME_WAIT do not fall by 90% (article: 95% less). ") +
      `The article saw more ESTABLISHED connections at the servers; here there are ${straight.peak.serverEstablished} direct to the cluster and ${kept.peak.serverEstablished} with keep-alive through the gateway, both of its sides counted.`,
    headlines: [
      { value: String(timeWait(straight)), label: "sockets in TIME_WAIT, direct to the cluster" },
      { value: String(timeWait(anew)), label: "sockets in TIME_WAIT, gateway, a connection per request" },
      { value: String(timeWait(kept)), label: "sockets in TIME_WAIT, gateway, keep-alive" },
      { value: share(fall(kept)), label: "less TIME_WAIT" },
    ],
    checks,
    table: {
      columns: [
        { title: "connection" },
        ...[
          "requests",
          "failed",
          "mean ms",
          "TIME_WAIT client",
          "TIME_WAIT server",
          "ESTABLISHED client",
          "ESTABLISHED server",
        ].map((title) => ({ title, number: true })),
      ],
      rows: rows.map((row) => ({
        newGroup: true,
        cells: [
          WAYS[row.way],
          String(row.requests),
          String(row.failed),
          row.meanMs.toFixed(2),
          String(row.peak.clientTimeWait),
          String(row.peak.serverTimeWait),
          String(row.peak.clientEstablished),
          String(row.peak.serverEstablished),
        ],
      })),
    },
    charts: [
      overTime(
        rows,
        "Sockets in TIME_WAIT over time, both sides",
        (counts) => counts.clientTimeWait + counts.serverTimeWait,
      ),
      overTime(
        rows,
        "Sockets ESTABLISHED over time, at the servers' side",
        (counts) => counts.serverEstablished,
      ),
      barChart(rows, {
        title: "Mean time of a request",
        unit: "ms",
        groupOf: () => "all",
        styleOf: ({ way }) => ({ label: WAYS[way], ...STYLES[way] }),
        valueOf: ({ meanMs }) => meanMs,
      }),
    ],
  };
}

function overTime(rows: readonly Measurement[], title: string, countOf: (counts: Counts) => number) {
  return {
    kind: "lines" as const,
    title,
    unit: "sockets",
    along: "s",
    panels: [
      {
        title: "all",
        lines: rows.map(({ way, samples }) => ({
          label: WAYS[way],
          ...STYLES[way],
          points: samples.map((sample) => [sample.atS, countOf(sample)] as const),
        })),
      },
    ],
  };
}
