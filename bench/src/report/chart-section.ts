import { CELL_KINDS, type Chart, type MatrixChart } from "../results/result.js";
import { bars, lines, type Panel } from "./charts.js";
import { escapeHtml, list, scrollingTable, tag } from "./html.js";

/**
 * Renders charts, each with its title, a line that explains its marks, and its legend. Charts of one panel stand two in a row; one
 * without a neighbour stands beside its title.
 */
export function chartSections(charts: readonly Chart[]): string {
  const rendered = charts.map((chart) => ({ panels: panelsOf(chart), chart }));
  const rows: (typeof rendered)[] = [];
  for (const each of rendered) {
    const last = rows.at(-1);
    if (each.panels.length === 1 && last?.length === 1 && last[0]!.panels.length === 1) last.push(each);
    else rows.push([each]);
  }
  return rows
    .map((row) => {
      const isAlone = row.length === 1 && row[0]!.panels.length === 1;
      const sections = row.map(({ chart, panels }) => section(chart, panels, isAlone));
      return row.length === 1 ? sections.join("") : tag("div", { class: "pair" }, ...sections);
    })
    .join("");
}

function section(chart: Chart, panels: readonly Panel[], isAlone: boolean): string {
  const texts = [
    tag("h2", {}, escapeHtml(chart.title)),
    tag("p", { class: "about" }, escapeHtml(aboutOf(chart))),
    legendOf(chart),
  ];
  const pictures =
    chart.kind === "matrix"
      ? matrix(chart)
      : tag("div", { class: `panels of${columnsFor(panels.length)}` }, ...panels.map(panelElement));
  return tag("section", { class: isAlone ? "alone" : undefined }, tag("div", {}, ...texts), pictures);
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

function panelElement({ title, svg }: Panel): string {
  return tag("div", { class: "panel" }, title === "" ? "" : tag("h3", {}, escapeHtml(title)), svg);
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
function legendOf(chart: Chart): string {
  if (chart.kind !== "lines") return "";
  const styles = new Map(chart.panels.flatMap(({ lines }) => lines.map((line) => [line.label, line])));
  const items = Array.from(styles.values(), ({ hue, dashed, label }) => {
    const line = tag("path", {
      class: dashed ? "key dashed" : "key",
      d: "M2 5H28",
      stroke: `var(--hue${hue})`,
    });
    const key = tag("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" }, line);
    return tag("li", {}, key, escapeHtml(label));
  });
  return tag("ul", { class: "legend" }, ...items);
}

function matrix({ columns, rows }: MatrixChart): string {
  const body = rows.map(({ title, cells }) =>
    tag(
      "tr",
      {},
      tag("th", { scope: "row" }, escapeHtml(title)),
      ...cells.map((cell) =>
        cell
          ? tag("td", { class: `cell ${cell.kind}` }, escapeHtml(cell.text))
          : tag("td", { class: "cell" }, ""),
      ),
    ),
  );
  const head = columns.map((title) => tag("th", { scope: "col" }, escapeHtml(title)));
  const used = new Set(rows.flatMap(({ cells }) => cells.map((cell) => cell?.kind)));
  return [
    list(
      "kinds",
      CELL_KINDS.filter((kind) => used.has(kind)).map((kind) => `${kind}: ${KINDS[kind]}`),
    ),
    scrollingTable("matrix", [tag("td", {}, ""), ...head], body),
  ].join("");
}

const KINDS: Record<(typeof CELL_KINDS)[number], string> = {
  right: "every call resolved with its own value, and every write was applied once",
  rejected: "calls rejected, nothing worse",
  hung: "calls had not settled when the function timed out",
  wrong: "calls resolved with a value that is not their command's",
  doubled: "writes were applied more than once",
};
