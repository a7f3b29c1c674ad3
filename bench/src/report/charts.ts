import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { BarChart, LineChart, Style } from "../results/result.js";
import { Html } from "./html.js";

interface Panel {
  readonly title: string;
  readonly svg: Html;
}

const { document } = parseHTML("<!doctype html><html><body></body></html>");
/** The pictures scale with their column; this is the width on a phone. */
const WIDTH = 360;
/** Room for the value beside the longest bar. */
const BESIDE = 84;
const CHARACTER = 6.6;
/** The size of a label's letters: smaller if it is longer than the picture is wide. */
const labelSize = ({ label }: Style) => Math.min(12, (12 * WIDTH) / (label.length * CHARACTER));

const colour = ({ hue }: Style) => `var(--hue${hue})`;
/** A value with as many digits as a reader needs. */
const short = (value: number) => Plot.formatNumber("en-US")(Number(value.toPrecision(3)));
/** An axis up to a number. If that has five digits, the axis counts thousands: 20k for 20,000. */
const axisTo = (highest: number) => ({
  ticks: 4,
  tickFormat: (value: number) =>
    highest >= 10_000 && value !== 0 ? `${short(value / 1_000)}k` : short(value),
});

function draw(label: string, options: Plot.PlotOptions): Html {
  const common = { document: document as never, width: WIDTH, className: "plot", ariaLabel: label };
  const figure = Plot.plot({ ...options, ...common });
  figure.setAttribute("role", "img");
  return new Html(figure.outerHTML);
}

/** Bars on a linear axis from zero, a label above each and its value beside it, with 95% intervals as thin lines. */
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
  const text = { y: "row", textAnchor: "start", fill: "var(--ink)" } as const;
  const thin = { y: "row", stroke: "var(--ink)", strokeOpacity: 0.55 } as const;
  const end = { ...thin, insetTop: 20, insetBottom: 8 };
  return panels.map(({ title, rows }) => {
    const scaled = chart.ownScales ? rows : all;
    const ends = scaled.flatMap(({ value, low = value, high = value }) => [value, low, high]);
    const highest = Math.max(...ends) || 1;
    const estimated = rows.filter(({ high }) => high !== undefined);
    const svg = draw(`${title}: ${chart.title}`, {
      height: rows.length * 40 + 28,
      marginLeft: 1,
      marginRight: beside,
      marginTop: 0,
      marginBottom: 28,
      x: { ...axisTo(highest), domain: [Math.min(0, ...ends), highest], label: null, grid: true },
      y: { axis: null, domain: rows.map(({ row }) => row), padding: 0 },
      marks: [
        Plot.barX(rows, {
          ...{ x: "value", y: "row", fill: colour, insetTop: 18, insetBottom: 6 },
          fillOpacity: ({ dashed }) => (dashed ? 0.35 : 1),
          title: ({ label, text, low, high }) =>
            `${label}: ${text}${high === undefined ? "" : ` (${short(low)} to ${short(high)})`}`,
        }),
        Plot.link(estimated, { ...thin, x1: "low", x2: "high", dy: 6 }),
        Plot.tickX(estimated, { ...end, x: "low" }),
        Plot.tickX(estimated, { ...end, x: "high" }),
        Plot.text(rows, { x: 0, text: "label", dx: 2, dy: -12, fontSize: labelSize, ...text }),
        Plot.text(rows, { x: "end", text: "text", dx: 6, dy: 6, fontWeight: 600, ...text }),
        Plot.ruleX([0], { stroke: "var(--soft)" }),
      ],
    });
    return { title, svg };
  });
}

/** Counts over time or another quantity, upwards from zero; all panels on the same scales. */
export function lines(chart: LineChart): Panel[] {
  const values = chart.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points));
  const xs = values.map(([at]) => at);
  const highest = Math.max(4, ...values.map(([, value]) => value));
  const last = Math.max(...xs, 1e-3);
  return chart.panels.map(({ title, lines }) => ({
    title,
    svg: draw(`${title}: ${chart.title}`, {
      height: 240,
      marginLeft: 48,
      marginRight: 16,
      marginTop: 28,
      marginBottom: 40,
      x: {
        ...axisTo(last),
        domain: [Math.min(0, ...xs), last],
        label: `${chart.along} →`,
        labelOffset: 36,
      },
      y: { ...axisTo(highest), domain: [0, highest], label: `↑ ${chart.unit}`, nice: true, grid: true },
      marks: lines.map((line) =>
        Plot.line(line.points, {
          x: "0",
          y: "1",
          stroke: colour(line),
          strokeWidth: 2,
          ...(line.dashed && { strokeDasharray: "2 4" }),
          title: () =>
            `${line.label}: at most ${short(Math.max(...line.points.map(([, value]) => value)))} ${chart.unit}`,
        }),
      ),
    }),
  }));
}
