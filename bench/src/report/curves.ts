import type { CurveChart } from "../result.js";
import { logarithmic, PERCENTILES, percentiles, roundSteps, short } from "./scale.js";
import { picture, tag, textAt } from "./svg.js";

const WIDTH = 360;
const HEIGHT = 250;
const LEFT = 40;
const RIGHT = WIDTH - 12;
const TOP = 12;
const BOTTOM = HEIGHT - 30;
/** A microsecond in ms: a logarithmic axis has no zero. */
const LEAST = 0.001;

/** One picture per panel, all on the same scales. */
export function curves(chart: CurveChart): string[] {
  const points = chart.panels.flatMap((panel) => panel.lines.flatMap((line) => line.points));
  const values = points.map(([, value]) => Math.max(value, LEAST));
  const steps = roundSteps(Math.min(...values), Math.max(...values));
  // Of a single value there is one point, which is every percentile.
  const highest = Math.max(50, ...points.map(([percent]) => percent));
  const x = percentiles(highest, LEFT, RIGHT);
  const y = logarithmic(steps[0]!, steps.at(-1)!, BOTTOM, TOP);

  const grid = [
    ...steps.map((step) => tag("path", { class: "grid", d: `M${LEFT} ${y(step).toFixed(1)}H${RIGHT}` })),
    ...steps.map((step) => textAt(LEFT - 6, y(step) + 4, short(step), { "text-anchor": "end" })),
    ...PERCENTILES.filter((percent) => percent <= highest).flatMap((percent) => [
      tag("path", { class: "grid", d: `M${x(percent).toFixed(1)} ${TOP}V${BOTTOM}` }),
      textAt(x(percent), BOTTOM + 18, percent === 0 ? "min" : `p${percent}`, { "text-anchor": "middle" }),
    ]),
  ];
  return chart.panels.map((panel) => {
    const lines = panel.lines.map((line) => {
      const path = line.points
        .map(([percent, value]) => `${x(percent).toFixed(1)} ${y(value).toFixed(1)}`)
        .join("L");
      const middle = line.points.find(([percent]) => percent === 50)?.[1];
      const title = middle === undefined ? line.label : `${line.label}: p50 ${short(middle)} ${chart.unit}`;
      return tag(
        "path",
        { class: `line hue${line.hue}${line.dashed ? " dashed" : ""}`, d: `M${path}` },
        tag("title", {}, title),
      );
    });
    return picture(WIDTH, HEIGHT, `${panel.title}: ${chart.title}`, ...grid, ...lines);
  });
}
