import { asAdvised } from "../bench/src/client/bench-client.js";
import type { Result } from "../bench/src/results/result.js";

/** A client of the picture: calls lost after a freeze, and how often writes were applied again; as shipped, and with documented options. */
export interface ClientBars {
  readonly label: string;
  readonly shipped: Bars;
  /** Absent for warmline, and for clients without such settings. */
  readonly advised?: Bars;
}

interface Bars {
  readonly lost: number;
  /** Number of calls, including the lost ones. */
  readonly calls: number;
  /** How often a write was applied again. Undefined if the scenario faults has no results of the client. */
  readonly doubled: number | undefined;
  /** Number of calls in the scenario faults. */
  readonly tried: number;
}

type Row = Readonly<Record<string, { readonly values: readonly number[] } | string>>;

const rowsOf = (result: Result) => result.data as unknown as readonly Row[];
const sum = (rows: readonly Row[], key: string): number =>
  rows.flatMap((row) => (row[key] as { values: number[] }).values).reduce((all, value) => all + value, 0);

/** Returns the name of a client for readers who have not seen the bench's tables. */
export const nameOf = (label: string): string => (label === "bare agent" ? "http.Agent" : label);

/** Returns how many calls of a client were lost after a freeze, in an arm of the scenario zombie. */
export function lostAfterFreeze(zombie: Result, arm: string, label: string): number {
  const cases = rowsOf(zombie).filter((row) => String(row.arm) === arm && row.label === label);
  return sum(cases, "failed") + sum(cases, "hung");
}

/** Returns the clients of the picture. @param zombie the result of that scenario @param faults the result of that scenario */
export function barsOf(zombie: Result, faults: Result): ClientBars[] {
  const frozen = rowsOf(zombie).filter(({ arm }) => arm === "middlebox");
  const labels = [...new Set(frozen.map(({ label }) => String(label)))];
  const bars = (label: string): Bars => {
    const cases = frozen.filter((row) => row.label === label);
    const matrix = rowsOf(faults).filter((row) => row.label === label);
    const lost = sum(cases, "failed") + sum(cases, "hung");
    return {
      lost,
      calls: sum(cases, "calls"),
      doubled: matrix.length > 0 ? sum(matrix, "doubled") : undefined,
      tried: sum(matrix, "calls"),
    };
  };
  return labels
    .filter((label) => !labels.some((other) => asAdvised(other) === label))
    .map((label) => ({
      label,
      shipped: bars(label),
      ...(labels.includes(asAdvised(label)) && { advised: bars(asAdvised(label)) }),
    }));
}

/** Returns "460 calls, over TCP 405": the numbers of calls in the scenario faults, of which some need HTTP. */
export function callsOf(clients: readonly ClientBars[]): string {
  const most = (some: readonly ClientBars[]) => Math.max(...some.map(({ shipped }) => shipped.tried));
  const overTcp = clients.filter(({ label }) => label.endsWith("(TCP)"));
  return `${most(clients)} calls, over TCP ${most(overTcp)}`;
}

/** Length of the longest bar. */
const LENGTH = 180;
/** Where bars begin: names are to the left. */
const NAMES = 140;
const WIDTH = NAMES + LENGTH + 40;
const HEAD = 52;

interface Chart {
  readonly head: string;
  readonly note: string;
  readonly numberOf: (bars: Bars) => number | undefined;
}

/**
 * Returns the picture as SVG: for each client two pairs of bars, as shipped and below it with documented options.
 * @param narrow whether the second chart is below the first one, for a phone
 */
export function picture(clients: readonly ClientBars[], narrow = false): string {
  const shown = withoutCopies(clients);
  const charts: Chart[] = [
    {
      head: `first INCRs lost after a freeze, of ${clients[0]!.shipped.calls}`,
      note: "rejected or hung, behind a middlebox",
      numberOf: ({ lost }) => lost,
    },
    {
      head: "how often a write was applied again",
      note: `over all faults, of ${callsOf(clients)}`,
      numberOf: ({ doubled }) => doubled,
    },
  ];
  const [first, second] = charts.map((chart) => drawn(chart, shown));
  const chartHeight = first!.height + 14;
  const [width, height] = narrow ? [WIDTH, 2 * chartHeight + 24] : [2 * WIDTH, chartHeight + 24];
  const legend = (x: number, kind: string, words: string) =>
    `<rect class="${kind}" x="${x}" y="${height - 20}" width="11" height="11"/><text class="note" x="${x + 17}" y="${height - 10}">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">Calls lost after a freeze, and how often writes were applied again, by client</title>
  <style>
    .ground { fill: #ffffff; } .own { fill: #0b63b6; } .shipped { fill: #c2410c; } .advised { fill: #e8b08a; }
    text { font-family: system-ui, sans-serif; fill: #1b1f24; font-size: 13px; }
    .head { font-weight: 600; } .note { fill: #57606a; } .value { font-size: 12px; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #1b1b1f; } .own { fill: #6cb0f5; } .shipped { fill: #f08a54; } .advised { fill: #8a5a3f; }
      text { fill: #e6e9ed; } .note { fill: #a8b0b9; }
    }
  </style>
  <rect class="ground" width="${width}" height="${height}"/>
  ${first!.elements.join("\n  ")}
  <g transform="translate(${narrow ? `0 ${chartHeight}` : `${WIDTH} 0`})">
  ${second!.elements.join("\n  ")}
  </g>
  ${legend(12, "own", "warmline")}${legend(96, "shipped", "as shipped")}${legend(190, "advised", "documented, set by us")}
</svg>
`;
}

/** Leaves out variants of warmline whose bars are those of the first client. */
function withoutCopies(clients: readonly ClientBars[]): ClientBars[] {
  const first = JSON.stringify(clients[0]!.shipped);
  return clients.filter(
    ({ label, shipped }, at) =>
      at === 0 || !label.startsWith("warmline") || JSON.stringify(shipped) !== first,
  );
}

/** Returns the elements of a chart at the origin, and its height. */
function drawn({ head, note, numberOf }: Chart, clients: readonly ClientBars[]) {
  const values = clients.flatMap(({ shipped, advised }) => [numberOf(shipped), advised && numberOf(advised)]);
  const largest = Math.max(1, ...values.map((value) => value ?? 0));
  const bar = (bars: Bars | undefined, y: number, kind: string) => {
    const value = bars && numberOf(bars);
    if (value === undefined) return "";
    const width = Math.max(2, Math.round((LENGTH * value) / largest));
    return (
      `<rect class="${kind}" x="${NAMES}" y="${y}" width="${width}" height="11"/>` +
      `<text class="value" x="${NAMES + width + 6}" y="${y + 10}">${value}</text>`
    );
  };
  const elements = [
    `<text class="head" x="12" y="20">${head}</text>`,
    `<text class="note" x="12" y="38">${note}</text>`,
  ];
  let y = HEAD;
  for (const { label, shipped, advised } of clients) {
    elements.push(
      `<text class="name" x="${NAMES - 12}" y="${y + (advised ? 17 : 11)}" text-anchor="end">${nameOf(label)}</text>`,
      bar(shipped, y, label.startsWith("warmline") ? "own" : "shipped"),
      bar(advised, y + 15, "advised"),
    );
    y += advised ? 36 : 22;
  }
  return { elements: elements.filter((element) => element !== ""), height: y };
}
