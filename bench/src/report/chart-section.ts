import { CELL_KINDS, type Chart, type MatrixChart } from "../results/result.js";
import { bars, lines } from "./charts.js";
import { type Html, html, list, scrollingTable } from "./html.js";

/** Renders charts, each with its title, a line that explains its marks, and its legend. */
export const chartSections = (charts: readonly Chart[]): Html => html`${charts.map(section)}`;

function section(chart: Chart): Html {
  const panels = chart.kind === "bars" ? bars(chart) : chart.kind === "lines" ? lines(chart) : [];
  const pictures = panels.map(
    ({ title, svg }) => html`<div class="panel">${title !== "" && html`<h3>${title}</h3>`}${svg}</div>`,
  );
  return html`<section>
<h2>${chart.title}</h2><p class="about">${aboutOf(chart)}</p>${legendOf(chart)}
${chart.kind === "matrix" ? matrix(chart) : html`<div class="panels">${pictures}</div>`}
</section>`;
}

function aboutOf(chart: Chart): string {
  if (chart.kind === "matrix") return chart.about;
  if (chart.kind === "lines") return `Upwards: ${chart.unit}, from zero. To the right: ${chart.along}.`;
  const marks = chart.groups.flatMap((group) => group.bars);
  return [
    chart.unit === "" ? "" : `In ${chart.unit}.`,
    marks.some(({ high }) => high !== undefined) ? "Thin lines are 95% intervals." : "",
    marks.some(({ dashed }) => dashed) ? "Pale bars are a client's best known settings." : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The legend of a chart of lines; bars have their labels above them. */
function legendOf(chart: Chart): Html | undefined {
  if (chart.kind !== "lines") return undefined;
  const styles = new Map(chart.panels.flatMap(({ lines }) => lines.map((line) => [line.label, line])));
  const items = Array.from(
    styles.values(),
    ({ hue, dashed, label }) => html`<li>
<svg viewBox="0 0 30 10" aria-hidden="true"><path class="key${dashed && " dashed"}" d="M2 5H28" stroke="var(--hue${hue})"/></svg>
${label}</li>`,
  );
  return html`<ul class="legend">${items}</ul>`;
}

function matrix({ columns, rows }: MatrixChart): Html {
  const body = rows.map(({ title, cells }) => {
    const content = cells.map((cell) =>
      cell ? html`<td class="cell ${cell.kind}">${cell.text}</td>` : html`<td class="cell"></td>`,
    );
    return html`<tr><th scope="row">${title}</th>${content}</tr>`;
  });
  const head = columns.map((title) => html`<th scope="col">${title}</th>`);
  const used = new Set(rows.flatMap(({ cells }) => cells.map((cell) => cell?.kind)));
  const kinds = CELL_KINDS.filter((kind) => used.has(kind)).map((kind) => `${kind}: ${KINDS[kind]}`);
  return html`${list("kinds", kinds)}${scrollingTable("matrix", [html`<td></td>`, head], body)}`;
}

const KINDS: Record<(typeof CELL_KINDS)[number], string> = {
  right: "every call resolved with its own value, and every write was applied once",
  rejected: "calls rejected, nothing worse",
  hung: "calls had not settled when the function timed out",
  wrong: "calls resolved with a value that is not their command's",
  doubled: "writes were applied more than once",
};
