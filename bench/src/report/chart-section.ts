import { CELL_KINDS, type Chart, type MatrixChart } from "../results/result.js";
import { bars, lines, type Panel } from "./charts.js";
import { type Html, html, list, scrollingTable } from "./html.js";

/**
 * Renders charts, each with its title, a line that explains its marks, and its legend. Charts of one panel stand two in a row; one
 * without a neighbour stands beside its title.
 */
export function chartSections(charts: readonly Chart[]): Html {
  const rendered = charts.map((chart) => ({ panels: panelsOf(chart), chart }));
  const rows: (typeof rendered)[] = [];
  for (const each of rendered) {
    const last = rows.at(-1);
    if (each.panels.length === 1 && last?.length === 1 && last[0]!.panels.length === 1) last.push(each);
    else rows.push([each]);
  }
  return html`${rows.map((row) => {
    const isAlone = row.length === 1 && row[0]!.panels.length === 1;
    const sections = row.map(({ chart, panels }) => section(chart, panels, isAlone));
    return row.length === 1 ? sections : html`<div class="pair">${sections}</div>`;
  })}`;
}

function section(chart: Chart, panels: readonly Panel[], isAlone: boolean): Html {
  const pictures = panels.map(
    ({ title, svg }) => html`<div class="panel">${title !== "" && html`<h3>${title}</h3>`}${svg}</div>`,
  );
  return html`<section${isAlone && html` class="alone"`}>
<div><h2>${chart.title}</h2><p class="about">${aboutOf(chart)}</p>${legendOf(chart)}</div>
${chart.kind === "matrix" ? matrix(chart) : html`<div class="panels of${columnsFor(panels.length)}">${pictures}</div>`}
</section>`;
}

/** Returns the number of columns that leaves the fewest places empty. */
function columnsFor(panels: number): number {
  if (panels < 3) return panels;
  const empty = (columns: number) => (columns - (panels % columns)) % columns;
  return empty(2) < empty(3) ? 2 : 3;
}

function panelsOf(chart: Chart): Panel[] {
  if (chart.kind === "matrix") return [];
  return chart.kind === "lines" ? lines(chart) : bars(chart);
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
