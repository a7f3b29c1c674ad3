import type { LineChart } from "../result.js";
import { evenSteps, linear, short } from "./scale.js";
import { picture, tag, textAt } from "./svg.js";

const WIDTH = 360;
const HEIGHT = 230;
const LEFT = 44;
const RIGHT = WIDTH - 14;
const TOP = 12;
const BOTTOM = HEIGHT - 30;
const MARKS = 4;

/** One picture per panel, all on the same scales: something counted over time, or over another quantity. */
export function lines(chart: LineChart): string[] {
  const points = chart.panels.flatMap((panel) => panel.lines.flatMap((line) => line.points));
  const from = Math.min(...points.map(([at]) => at), 0);
  const to = Math.max(...points.map(([at]) => at), from + 1e-3);
  const heights = evenSteps(0, Math.max(MARKS, ...points.map(([, value]) => value)), MARKS);
  const top = heights.at(-1)!;
  const x = linear(from, to, LEFT, RIGHT);
  const y = linear(0, top, BOTTOM, TOP);
  const grid = [
    ...heights.flatMap((height) => [
      tag("path", { class: "grid", d: `M${LEFT} ${y(height).toFixed(1)}H${RIGHT}` }),
      textAt(LEFT - 6, y(height) + 4, short(height), { "text-anchor": "end" }),
    ]),
    ...evenSteps(from, to, MARKS)
      .filter((at) => at <= to)
      .map((at) =>
        textAt(x(at), BOTTOM + 18, `${short(at)} ${chart.along}`, {
          "text-anchor": at === from ? "start" : x(at) > RIGHT - 20 ? "end" : "middle",
        }),
      ),
  ];
  return chart.panels.map((panel) => {
    const drawn = panel.lines.map((line) => {
      const path = line.points.map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
      const most = Math.max(...line.points.map(([, value]) => value));
      return tag(
        "path",
        { class: `line hue${line.hue}${line.dashed ? " dashed" : ""}`, d: `M${path}` },
        tag("title", {}, `${line.label}: at most ${short(most)} ${chart.unit}`),
      );
    });
    return picture(WIDTH, HEIGHT, `${panel.title}: ${chart.title}`, ...grid, ...drawn);
  });
}
