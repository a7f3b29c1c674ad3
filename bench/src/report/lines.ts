import type { LineChart } from "../result.js";
import { linear, roundSteps, short } from "./scale.js";
import { picture, tag, words } from "./svg.js";

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
  const top = roundSteps(1, Math.max(2, ...points.map(([, value]) => value))).at(-1)!;
  const x = linear(from, to, LEFT, RIGHT);
  const y = linear(0, top, BOTTOM, TOP);
  const marks = Array.from({ length: MARKS + 1 }, (_, index) => index / MARKS);
  const grid = marks.flatMap((part) => [
    tag("path", { class: "grid", d: `M${LEFT} ${y(part * top).toFixed(1)}H${RIGHT}` }),
    words(LEFT - 6, y(part * top) + 4, short(part * top), { "text-anchor": "end" }),
    words(x(from + part * (to - from)), BOTTOM + 18, `${short(from + part * (to - from))} ${chart.along}`, {
      "text-anchor": part === 0 ? "start" : part === 1 ? "end" : "middle",
    }),
  ]);
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
