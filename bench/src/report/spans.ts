import type { SpanChart } from "../result.js";
import { linear, short } from "./scale.js";
import { picture, tag, textAt } from "./svg.js";

const WIDTH = 360;
const ROW = 50;
const SPAN = 24;

/** Rows of spans to scale. */
export function spans(chart: SpanChart): string {
  const lengths = chart.rows.map((row) => row.spans.reduce((sum, span) => sum + span.length, 0));
  const x = linear(0, Math.max(...lengths), 0, WIDTH - 56);
  const rows = chart.rows.map((row, index) => {
    const top = index * ROW;
    let from = 0;
    const drawn = row.spans.map((span) => {
      const begin = x(from);
      from += span.length;
      const width = x(from) - begin - 2;
      return [
        tag("rect", { class: `span hue${span.hue}`, x: begin, y: top + 18, width, height: SPAN, rx: 3 }),
        textAt(begin + width / 2, top + 18 + SPAN / 2 + 4, span.label, {
          class: "inside",
          "text-anchor": "middle",
        }),
      ].join("");
    });
    const said = `${short(lengths[index]!)} ${chart.unit}`;
    return [
      textAt(0, top + 12, row.title, { class: "name" }),
      ...drawn,
      textAt(x(lengths[index]!) + 5, top + 18 + SPAN / 2 + 4, said, { class: "value" }),
    ].join("");
  });
  return picture(WIDTH, chart.rows.length * ROW - 4, chart.title, ...rows);
}
