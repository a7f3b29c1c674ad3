import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { BarChart, LineChart, Style } from "../results/result.js";

/** A picture as SVG, with its title. */
export interface Panel {
  readonly title: string;
  readonly svg: string;
}

const { document } = parseHTML("<!doctype html><html><body></body></html>");
/** The pictures scale with their column; this is the width on a phone. */
const WIDTH = 360;
/** Room for the value beside the longest bar. */
const BESIDE = 84;
/** Approximate width of a character. */
const CHARACTER = 6.6;

const colour = ({ hue }: Style) => `var(--hue${hue})`;
const opacity = ({ dashed }: Style) => (dashed ? 0.35 : 1);
/** A value with as many digits as a reader needs. */
const short = (value: number) => Plot.formatNumber("en-US")(Number(value.toPrecision(3)));
/** The number of an axis: 20k for 20,000. */
const tick = (value: number) => (value >= 10_000 ? `${short(value / 1_000)}k` : short(value));

function draw(label: string, options: Plot.PlotOptions): string {
  const figure = Plot.plot({
    ...options,
    document: document as never,
    width: WIDTH,
    className: "plot",
    ariaLabel: label,
  });
  figure.setAttribute("role", "img");
  return figure.outerHTML;
}

/** A row of a chart of horizontal bars: a label above its bar, and a text beside the end. */
interface BarRow {
  readonly label: string;
  readonly text: string;
  /** The end of its longest mark. */
  readonly end: number;
}

/** Draws rows of horizontal bars on a linear axis. The marks find their row by its index, under the name `row`. */
function drawRows(
  label: string,
  rows: readonly BarRow[],
  domain: readonly [from: number, to: number],
  beside: number,
  marks: readonly Plot.Markish[],
): string {
  const placed = rows.map((each, row) => ({ ...each, row }));
  const text = { y: "row", textAnchor: "start", fill: "var(--ink)" } as const;
  return draw(label, {
    height: rows.length * 40 + 28,
    marginLeft: 1,
    marginRight: beside,
    marginTop: 0,
    marginBottom: 28,
    x: { domain, ticks: 4, tickFormat: tick, label: null, grid: true },
    y: { axis: null, domain: placed.map(({ row }) => row), padding: 0 },
    marks: [
      ...marks,
      Plot.text(placed, { x: 0, text: "label", dx: 2, dy: -12, ...text }),
      Plot.text(placed, { x: "end", text: "text", dx: 6, dy: 6, fontWeight: 600, ...text }),
      Plot.ruleX([0], { stroke: "var(--soft)" }),
    ],
  });
}

/** The place of a bar in its row. */
const BAR = { y: "row", fill: colour, insetTop: 18, insetBottom: 6 } as const;
/** The look of an interval. */
const THIN = { y: "row", stroke: "var(--ink)", strokeOpacity: 0.55 } as const;

/** Draws the 95% intervals of rows that have one: a thin line with a tick at each end. */
function intervals(rows: readonly { readonly row: number; readonly low?: number; readonly high?: number }[]) {
  const estimated = rows.filter(({ high }) => high !== undefined);
  const ticks = { ...THIN, insetTop: 20, insetBottom: 8 };
  return [
    Plot.link(estimated, { ...THIN, x1: "low", x2: "high", dy: 6 }),
    Plot.tickX(estimated, { ...ticks, x: "low" }),
    Plot.tickX(estimated, { ...ticks, x: "high" }),
  ];
}

/** Bars on a linear axis from zero, with 95% intervals as thin lines. */
export function bars(chart: BarChart): Panel[] {
  const panels = chart.groups.map(({ title, bars }) => ({
    title,
    rows: bars.map((bar, row) => ({
      ...bar,
      row,
      text: `${short(bar.value)} ${chart.unit}`.trim(),
      end: Math.max(bar.value, bar.high ?? 0),
    })),
  }));
  const all = panels.flatMap(({ rows }) => rows);
  const beside = Math.min(WIDTH / 2, Math.max(BESIDE, ...all.map(({ text }) => text.length * CHARACTER)));
  return panels.map(({ title, rows }) => {
    const ends = (chart.ownScales ? rows : all).flatMap(({ value, low = value, high = value }) => [
      value,
      low,
      high,
    ]);
    const svg = drawRows(
      `${title}: ${chart.title}`,
      rows,
      [Math.min(0, ...ends), Math.max(...ends) || 1],
      beside,
      [
        Plot.barX(rows, {
          ...BAR,
          x: "value",
          fillOpacity: opacity,
          title: ({ label, text, low, high }) =>
            `${label}: ${text}${high === undefined ? "" : ` (${short(low)} to ${short(high)})`}`,
        }),
        ...intervals(rows),
      ],
    );
    return { title, svg };
  });
}

/** Counts over time or another quantity, upwards from zero; all panels on the same scales. */
export function lines(chart: LineChart): Panel[] {
  const values = chart.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points));
  const xs = values.map(([at]) => at);
  return chart.panels.map(({ title, lines }) => ({
    title,
    svg: draw(`${title}: ${chart.title}`, {
      height: 240,
      marginLeft: 48,
      marginRight: 16,
      x: {
        domain: [Math.min(0, ...xs), Math.max(...xs, 1e-3)],
        ticks: 5,
        tickFormat: tick,
        label: `${chart.along} →`,
      },
      y: {
        domain: [0, Math.max(4, ...values.map(([, value]) => value))],
        nice: true,
        ticks: 5,
        tickFormat: tick,
        label: `↑ ${chart.unit}`,
        grid: true,
      },
      marks: lines.map((line) =>
        Plot.line(line.points, {
          x: "0",
          y: "1",
          ...strokeOf(line),
          title: () =>
            `${line.label}: at most ${short(Math.max(...line.points.map(([, value]) => value)))} ${chart.unit}`,
        }),
      ),
    }),
  }));
}

const strokeOf = (style: Style) => ({
  stroke: colour(style),
  strokeWidth: 2,
  ...(style.dashed && { strokeDasharray: "2 4" }),
});
