import type { BarChart } from "../result.js";
import { linear, short } from "./scale.js";
import { picture, tag, textAt } from "./svg.js";

const WIDTH = 360;
const ROW = 40;
const BAR = 12;
/** Room for the value beside the longest bar. */
const BESIDE = 78;

/** One picture per group, all on the same scale. */
export function bars(chart: BarChart): string[] {
  const all = chart.groups.flatMap((group) => group.bars);
  const room = Math.min(WIDTH / 2, Math.max(...all.map((bar) => (bar.text ?? "").length * 7.1), BESIDE));
  const highest = Math.max(...all.map((bar) => Math.max(bar.value, bar.high ?? 0)));
  const x = linear(0, highest || 1, 0, WIDTH - room);
  return chart.groups.map((group) => {
    const rows = group.bars.map((bar, index) => {
      const top = index * ROW;
      const middle = top + 20 + BAR / 2;
      const spread = bar.high === undefined ? "" : spreadOf(x(bar.low ?? bar.value), x(bar.high), middle);
      const beside = Math.max(x(bar.value), x(bar.high ?? 0)) + 7;
      const said = bar.text ?? `${short(bar.value)} ${chart.unit}`;
      const range = bar.high === undefined ? "" : ` (${short(bar.low ?? bar.value)} to ${short(bar.high)})`;
      return tag(
        "g",
        {},
        tag("title", {}, `${bar.label}: ${said}${range}`),
        textAt(0, top + 13, bar.label, { class: "name" }),
        tag("rect", {
          class: `bar hue${bar.hue}${bar.dashed ? " dashed" : ""}`,
          x: 0.5,
          y: top + 20,
          width: Math.max(x(Math.max(bar.value, 0)), 1),
          height: BAR,
          rx: 2,
        }),
        spread,
        textAt(beside, middle + 4, said, { class: "value" }),
      );
    });
    return picture(WIDTH, group.bars.length * ROW, `${group.title}: ${chart.title}`, ...rows);
  });
}

function spreadOf(low: number, high: number, middle: number): string {
  const [from, to] = [Math.max(low, 0).toFixed(1), Math.max(high, 0).toFixed(1)];
  return tag("path", {
    class: "spread",
    d: `M${from} ${middle}H${to}M${from} ${middle - 4}v8M${to} ${middle - 4}v8`,
  });
}
