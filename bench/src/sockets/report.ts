import { listed, ms, share } from "../format.js";
import { barChart } from "../present.js";
import type { Check, Outcome, Style } from "../result.js";
import type { Counts } from "./kernel.js";

/** The ways to reach the cluster, in the order of the table. */
export const WAYS = {
  cluster: "straight to the cluster, connections per request",
  "gateway-request": "gateway, a connection per request",
  "gateway-kept": "gateway, warmline's kept connections",
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

/** Finding, figures, checks, table and charts of the numbers. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const pick = (way: Way) => rows.find((row) => row.way === way)!;
  const [straight, anew, kept] = [pick("cluster"), pick("gateway-request"), pick("gateway-kept")];
  const fall = (row: Measurement) => 1 - timeWait(row) / timeWait(straight);
  const checks: Check[] = [
    {
      expectation: "TIME_WAIT falls by over 90 % through the gateway with kept connections",
      passed: fall(kept) > 0.9,
      actual: `${timeWait(kept)} against ${timeWait(straight)}`,
    },
    {
      expectation: "it falls as well where each request opens one connection to the gateway",
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
      `At its peak the kernel held ${timeWait(straight)} sockets in TIME_WAIT where each request connects to the cluster's nodes itself, ` +
      `${timeWait(anew)} where it opens one connection to the gateway (${share(fall(anew))} less), and ${timeWait(kept)} where connections to the gateway are kept (${share(fall(kept))} less). ` +
      `A request took ${listed(rows.map((row) => `${ms(row.meanMs)} (${WAYS[row.way]})`))}. ` +
      (checks[0]!.passed
        ? "The article's direction comes out: its proxy took 95 % of TIME_WAIT away. "
        : "The article's direction, 95 % less TIME_WAIT through a proxy, does not come out. ") +
      `Its caveat, more ESTABLISHED connections at the servers, reads ${straight.peak.serverEstablished} straight to the cluster and ${kept.peak.serverEstablished} through the gateway with kept connections, both of its sides counted.`,
    headlines: [
      { value: String(timeWait(straight)), label: "sockets in TIME_WAIT, straight to the cluster" },
      { value: String(timeWait(anew)), label: "through the gateway, a connection per request" },
      { value: String(timeWait(kept)), label: "through the gateway, kept connections" },
      { value: share(fall(kept)), label: "less TIME_WAIT" },
    ],
    checks,
    table: {
      columns: [
        { title: "way" },
        ...[
          "requests",
          "failed",
          "mean ms",
          "TIME_WAIT client",
          "server",
          "ESTABLISHED client",
          "server",
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
        title: "How long a request takes",
        unit: "ms",
        groupOf: () => "all ways",
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
        title: "all ways",
        lines: rows.map(({ way, samples }) => ({
          label: WAYS[way],
          ...STYLES[way],
          points: samples.map((sample) => [sample.atS, countOf(sample)] as const),
        })),
      },
    ],
  };
}
