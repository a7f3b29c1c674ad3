import { asAdvised } from "../bench/src/client/bench-client.js";
import type { Result } from "../bench/src/results/result.js";

/** A client of the picture: calls lost after a freeze, and writes applied more than once; as shipped, and as its docs advise. */
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
  /** Undefined if the scenario faults has no results of the client. */
  readonly doubled: number | undefined;
}

type Row = Readonly<Record<string, { readonly values: readonly number[] } | string>>;

const rowsOf = (result: Result) => result.data as unknown as readonly Row[];
const sum = (rows: readonly Row[], key: string): number =>
  rows.flatMap((row) => (row[key] as { values: number[] }).values).reduce((all, value) => all + value, 0);

/** Returns the clients of the picture. @param zombie the result of that scenario @param faults the result of that scenario */
export function barsOf(zombie: Result, faults: Result): ClientBars[] {
  const frozen = rowsOf(zombie).filter(({ arm }) => String(arm).startsWith("middlebox"));
  const labels = [...new Set(frozen.map(({ label }) => String(label)))];
  const bars = (label: string): Bars => {
    const cases = frozen.filter((row) => row.label === label);
    const matrix = rowsOf(faults).filter((row) => row.label === label);
    const lost = sum(cases, "failed") + sum(cases, "hung");
    return {
      lost,
      calls: sum(cases, "calls"),
      doubled: matrix.length > 0 ? sum(matrix, "doubled") : undefined,
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

const WIDTH = 760;
const ONE_BAR = 22;
const TWO_BARS = 36;
const TOP = 62;
/** The left ends of the two columns of bars, and their lengths. */
const [LOST_X, DOUBLED_X, LENGTH] = [190, 500, 200];

/** Returns the picture as SVG: for each client two pairs of bars, as shipped and below it as its docs advise. */
export function picture(clients: readonly ClientBars[]): string {
  const all = clients.flatMap(({ shipped, advised }) => (advised ? [shipped, advised] : [shipped]));
  const maxDoubled = Math.max(1, ...all.map(({ doubled }) => doubled ?? 0));
  const calls = Math.max(1, ...all.map((each) => each.calls));
  const bar = (x: number, y: number, value: number, limit: number, kind: string) => {
    const width = Math.round((LENGTH * value) / limit);
    return (
      `<rect class="${kind}" x="${x}" y="${y}" width="${Math.max(width, 2)}" height="11"/>` +
      `<text class="value" x="${x + Math.max(width, 2) + 6}" y="${y + 10}">${value}</text>`
    );
  };
  const pair = ({ lost, doubled }: Bars, y: number, kind: string) => [
    bar(LOST_X, y, lost, calls, kind),
    ...(doubled === undefined ? [] : [bar(DOUBLED_X, y, doubled, maxDoubled, kind)]),
  ];
  let next = TOP;
  const rows = clients.flatMap(({ label, shipped, advised }) => {
    const y = next;
    next += advised ? TWO_BARS : ONE_BAR;
    const own = label.startsWith("warmline") ? "own" : "shipped";
    return [
      `<text class="name" x="${LOST_X - 12}" y="${y + (advised ? 17 : 11)}" text-anchor="end">${label}</text>`,
      ...pair(shipped, y, own),
      ...(advised ? pair(advised, y + 15, "advised") : []),
    ];
  });
  const height = next + 26;
  const legend = (x: number, kind: string, words: string) =>
    `<rect class="${kind}" x="${x}" y="${height - 22}" width="11" height="11"/><text class="note" x="${x + 17}" y="${height - 12}">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
  <title id="title">Calls lost after a freeze, and writes applied more than once, by client</title>
  <style>
    .ground { fill: #ffffff; } .own { fill: #0b63b6; } .shipped { fill: #c2410c; } .advised { fill: #e8b08a; }
    text { font-family: system-ui, sans-serif; fill: #1b1f24; font-size: 13px; }
    .head { font-weight: 600; } .note { fill: #57606a; } .value { font-size: 12px; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #1b1b1f; } .own { fill: #6cb0f5; } .shipped { fill: #f08a54; } .advised { fill: #8a5a3f; }
      text { fill: #e6e9ed; } .note { fill: #a8b0b9; }
    }
  </style>
  <rect class="ground" width="${WIDTH}" height="${height}"/>
  <text class="head" x="${LOST_X}" y="22">calls lost after a freeze, of ${calls}</text>
  <text class="note" x="${LOST_X}" y="42">the first INCR, behind a middlebox</text>
  <text class="head" x="${DOUBLED_X}" y="22">writes applied more than once</text>
  <text class="note" x="${DOUBLED_X}" y="42">in the matrix of faults</text>
  ${rows.join("\n  ")}
  ${legend(LOST_X, "own", "warmline")}${legend(LOST_X + 110, "shipped", "as shipped")}${legend(LOST_X + 230, "advised", "as its docs advise")}
</svg>
`;
}
