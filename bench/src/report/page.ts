import { readFileSync } from "node:fs";
import { built } from "../client/bench-client.js";
import { verdictText } from "../results/checks.js";
import type { Check, Result, Table, Verdict } from "../results/result.js";
import { chartSections } from "./chart-section.js";
import { escapeHtml, list, scrollingTable, tag } from "./html.js";

const STYLE = readFileSync(built("../src/report/style.css"), "utf8");

/** A self-contained HTML document: no scripts, no fonts, no network requests. */
export function htmlDocument(title: string, ...content: string[]): string {
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
${content.join("\n")}
</main>
</body>
</html>
`;
}

/**
 * Renders the page of one result.
 * @param summaryLink the address of the summary page; undefined if there is none.
 */
export function resultPage(result: Result, summaryLink?: string): string {
  const mark =
    summaryLink === undefined ? "warmline bench" : tag("a", { href: summaryLink }, "warmline bench: summary");
  return htmlDocument(
    result.title,
    tag(
      "header",
      {},
      tag("p", { class: "mark" }, mark),
      tag("h1", {}, escapeHtml(result.title)),
      tag("p", { class: "question" }, escapeHtml(result.question)),
    ),
    warning(result),
    ...(result.sentences ?? []).map((sentence) => tag("p", { class: "summary" }, escapeHtml(sentence))),
    result.terms === undefined ? "" : list("terms", result.terms),
    ...(result.checks.length === 0
      ? [tag("p", { class: "summary" }, escapeHtml(result.summary))]
      : [
          tag("h2", {}, "Checks"),
          tag("p", { class: "about" }, `${escapeHtml(verdictCounts(result.checks))}. ${VERDICTS}`),
          tag("ul", { class: "checks" }, ...result.checks.map((each) => checkItem(each))),
        ]),
    chartSections(result.charts),
    tag("h2", {}, "All numbers"),
    table(result.table),
    ...(result.parts ?? []).flatMap((part) => [tag("h3", {}, escapeHtml(part.title)), table(part.table)]),
    tag("h2", {}, "Method"),
    list("notes", result.notes),
    tag("h2", {}, "Reproduce"),
    tag("pre", {}, tag("code", {}, escapeHtml(result.command))),
    facts(result),
  );
}

const VERDICTS =
  "A check is yes or no if the whole 95% interval lies on one side of its limit. Reproduced: what an article found was found here too.";

/** Renders the number of "1.7 (1.6 to 1.8)", and its interval, if any, in smaller letters. */
function withSmallInterval(text: string): string {
  const [, number, interval] = /^(-?\$?\d.*?) \(([^()]* to [^()]*)\)$/.exec(text) ?? [undefined, text];
  return escapeHtml(number!) + (interval === undefined ? "" : tag("small", {}, escapeHtml(interval)));
}

/** Returns the warning of the load guard as an element; "" if there is none. */
const warning = ({ load }: Result): string =>
  load.warning === undefined ? "" : tag("p", { class: "warning" }, escapeHtml(`Warning: ${load.warning}`));

/** Returns "3 yes, 1 no, 0 undecided". */
export function verdictCounts(checks: readonly Check[]): string {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  return `${count("yes")} yes, ${count("no")} no, ${count("undecided")} undecided`;
}

/** The class of a verdict's mark. */
export const VERDICT_CLASSES: Record<Verdict, string> = { yes: "pass", no: "fail", undecided: "open" };

/** Renders a check, after the HTML of a prefix. */
export function checkItem(check: Check, prefix = ""): string {
  return tag(
    "li",
    { class: VERDICT_CLASSES[check.verdict] },
    tag("p", {}, `${prefix}${escapeHtml(check.expectation)} `, tag("small", {}, verdictText(check))),
    tag(
      "div",
      {},
      tag("b", {}, escapeHtml(check.actual)),
      check.article === undefined
        ? ""
        : tag("p", {}, escapeHtml(`In the article "${check.article.title}": ${check.article.result}`)),
      check.beside === undefined
        ? ""
        : tag("details", {}, tag("summary", {}, "Other clients and ways"), escapeHtml(check.beside)),
    ),
  );
}

function table({ columns, rows }: Table): string {
  const classOf = (index: number) => (columns[index]!.number ? "number" : undefined);
  const head = columns.map(({ title }, index) => tag("th", { class: classOf(index) }, escapeHtml(title)));
  const body = rows.map(({ cells, newGroup }) =>
    tag(
      "tr",
      { class: newGroup ? "group" : undefined },
      ...cells.map((cell, index) => tag("td", { class: classOf(index) }, withSmallInterval(cell))),
    ),
  );
  return scrollingTable(undefined, head, body);
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

function facts({ machine, commit, load, versions, startedAt, seconds, seed, settings }: Result): string {
  const entries: (readonly [string, string])[] = [
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
    ...(commit === undefined ? [] : ([["Commit", commit]] as const)),
    ["Duration", `${seconds} s`],
  ];
  return tag(
    "dl",
    {},
    ...entries.map(([name, value]) => tag("dt", {}, escapeHtml(name)) + tag("dd", {}, escapeHtml(value))),
  );
}
