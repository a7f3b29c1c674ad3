import { checkText, verdictText } from "../checks.js";
import type { Chart, Check, Result, SkippedScenario, Style, Table, Verdict } from "../result.js";
import { bars } from "./bars.js";
import { curves } from "./curves.js";
import { lines } from "./lines.js";
import { spans } from "./spans.js";
import { STYLE } from "./style.js";
import { escapeHtml, tag } from "./svg.js";

/** Renders results as a self-contained HTML page: no scripts, no fonts, no network requests. */
export function page(results: readonly Result[], skipped: readonly SkippedScenario[] = []): string {
  const title = results.length === 1 ? results[0]!.title : "warmline bench";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${results.length > 1 || skipped.length > 0 ? contents(results, skipped) : ""}
${results.map(section).join("\n")}
</main>
</body>
</html>
`;
}

/** Renders the list of results with their number of passed checks, and the skipped scenarios. */
function contents(results: readonly Result[], skipped: readonly SkippedScenario[]): string {
  return tag(
    "nav",
    {},
    tag("p", { class: "mark" }, "warmline bench"),
    tag("h1", {}, "Results"),
    tag(
      "ul",
      {},
      ...results.map(({ scenario, title, checks }) => {
        const of = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
        const failed = of("no");
        const said = checks.length > 0 ? `${of("yes")} yes, ${failed} no, ${of("undecided")} undecided` : "";
        return tag(
          "li",
          {},
          tag("a", { href: `#${scenario}` }, escapeHtml(title)),
          ` ${tag("span", { class: failed > 0 ? "some" : undefined }, said)}`,
        );
      }),
      ...skipped.map(({ scenario, reason }) => tag("li", {}, escapeHtml(`Skipped: ${scenario}: ${reason}`))),
    ),
  );
}

function section(result: Result): string {
  return tag(
    "section",
    { id: result.scenario },
    tag(
      "header",
      {},
      tag("p", { class: "mark" }, "warmline bench"),
      tag("h1", {}, escapeHtml(result.title)),
      tag("p", { class: "question" }, escapeHtml(result.question)),
    ),
    ...(result.load.warning === undefined
      ? []
      : [tag("p", { class: "warning" }, escapeHtml(`Warning: ${result.load.warning}`))]),
    tag("p", { class: "summary" }, escapeHtml(unbroken(result.summary))),
    tag(
      "ul",
      { class: "headlines" },
      ...result.headlines.map(({ value, label }) =>
        tag("li", {}, tag("b", {}, escapeHtml(value)), tag("span", {}, escapeHtml(label))),
      ),
    ),
    ...result.charts.map(chart),
    tag("h2", {}, "All numbers"),
    table(result.table),
    ...(result.checks.length === 0
      ? []
      : [tag("h2", {}, "Checks"), tag("ul", { class: "checks" }, ...result.checks.map(check))]),
    tag("h2", {}, "Method"),
    tag("ul", { class: "notes" }, ...result.notes.map((note) => tag("li", {}, escapeHtml(note)))),
    tag("h2", {}, "Reproduce"),
    tag("pre", {}, tag("code", {}, escapeHtml(result.command))),
    facts(result),
  );
}

/** Joins a number and its unit with a no-break space. */
function unbroken(text: string): string {
  return text.replace(/(\d) (ms|x|%)/g, "$1\u00a0$2");
}

const CLASSES: Record<Verdict, string> = { yes: "pass", no: "fail", undecided: "open" };

function check(each: Check): string {
  return tag(
    "li",
    { class: CLASSES[each.verdict] },
    `${escapeHtml(verdictText(each))} `,
    tag("span", {}, escapeHtml(checkText(each))),
  );
}

function chart(drawn: Chart): string {
  if (drawn.kind === "spans") {
    return [
      tag("h2", {}, escapeHtml(drawn.title)),
      tag("p", { class: "about" }, escapeHtml(drawn.about)),
      tag("div", { class: "panel single" }, spans(drawn)),
    ].join("");
  }
  const pictures =
    drawn.kind === "curves" ? curves(drawn) : drawn.kind === "lines" ? lines(drawn) : bars(drawn);
  const titles = drawn.kind === "bars" ? drawn.groups : drawn.panels;
  return [
    tag("h2", {}, escapeHtml(drawn.title)),
    tag("p", { class: "about" }, escapeHtml(about(drawn))),
    drawn.kind === "bars" ? "" : legend(drawn.panels[0]!.lines),
    tag(
      "div",
      { class: "panels" },
      ...pictures.map((svg, index) =>
        tag("div", { class: "panel" }, tag("h3", {}, escapeHtml(titles[index]!.title)), svg),
      ),
    ),
  ].join("");
}

function about(drawn: Exclude<Chart, { kind: "spans" }>): string {
  if (drawn.kind === "curves") {
    return `In ${drawn.unit}, on a logarithmic scale. To the right: percentiles; p99 is the time that one in a hundred exceeds.`;
  }
  if (drawn.kind === "lines") return `Upwards: ${drawn.unit}, from zero. To the right: ${drawn.along}.`;
  const hasIntervals = drawn.groups.some(({ bars }) => bars.some(({ high }) => high !== undefined));
  const parts = [
    drawn.unit === "" ? "" : `In ${drawn.unit}.`,
    hasIntervals ? "Thin lines are 95% intervals over the repetitions." : "",
  ];
  return parts.filter(Boolean).join(" ");
}

function legend(styles: readonly Style[]): string {
  const items = styles.map(({ label, hue, dashed }) => {
    const line = tag("path", { class: `line hue${hue}${dashed ? " dashed" : ""}`, d: "M2 5H28" });
    return tag(
      "li",
      {},
      tag("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" }, line),
      escapeHtml(label),
    );
  });
  return tag("ul", { class: "legend" }, ...items);
}

function table({ columns, rows }: Table): string {
  const kind = (index: number) => (columns[index]!.number ? "number" : undefined);
  return tag(
    "div",
    { class: "scroll" },
    tag(
      "table",
      {},
      tag(
        "thead",
        {},
        tag(
          "tr",
          {},
          ...columns.map(({ title }, index) => tag("th", { class: kind(index) }, escapeHtml(title))),
        ),
      ),
      tag(
        "tbody",
        {},
        ...rows.map(({ cells, newGroup }) =>
          tag(
            "tr",
            { class: newGroup ? "group" : undefined },
            ...cells.map((cell, index) => tag("td", { class: kind(index) }, escapeHtml(cell))),
          ),
        ),
      ),
    ),
  );
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

function facts({ machine, load, versions, startedAt, seconds, seed, settings }: Result): string {
  const entries: [string, string][] = [
    [
      "Machine",
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, load ${machine.load}`,
    ],
    ["Node", machine.node.slice(1)],
    ["Function runtime", machine.runtime === "own" ? "the testbed's own" : machine.runtime],
    ...Object.entries(versions),
    ["Engine", String(settings.engine)],
    ["Round trip", `${settings.rttMs} ms${settings.tls ? ", TLS" : ""}`],
    [
      "Other load",
      `${percent(load.before)} before the run${load.others === null ? "" : `, ${percent(load.others)} during it`}`,
    ],
    ["Seed", String(seed)],
    ["Started", startedAt],
    ["Duration", `${seconds} s`],
  ];
  return tag(
    "dl",
    {},
    ...entries.map(([name, value]) => tag("dt", {}, escapeHtml(name)) + tag("dd", {}, escapeHtml(value))),
  );
}
