import { readFileSync } from "node:fs";
import { built } from "../client/bench-client.js";
import { verdictCounts } from "../results/checks.js";
import type { Check, Result, Table, Verdict } from "../results/result.js";
import { chartSections } from "./chart-section.js";
import { classed, Html, html, list, scrollingTable } from "./html.js";

const STYLE = new Html(readFileSync(built("../src/report/style.css"), "utf8"));

/** A self-contained HTML document: no scripts, no fonts, no network requests. */
export const htmlDocument = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;

const VERDICTS = "A check is yes or no if the whole 95% interval lies on one side of its limit.";

export const resultPage = (result: Result): string => htmlDocument(result.title, resultSection(result));

/** Renders a result as its part of a page. */
export function resultSection(result: Result): Html {
  const { title, checks, load, sentences = [], terms, parts = [] } = result;
  const verdicts = html`<h2>Checks</h2>
<p class="about">${verdictCounts(checks)}. ${VERDICTS}</p>
<ul class="checks">${checks.map(checkItem)}</ul>`;
  return html`<header id="${result.scenario}"><p class="mark">warmline bench</p><h1>${title}</h1><p class="question">${result.question}</p></header>
${load.warning !== undefined && html`<p class="warning">Warning: ${load.warning}</p>`}
${sentences.map((sentence) => html`<p class="summary">${sentence}</p>`)}
${terms && list("terms", terms)}
${checks.length === 0 ? html`<p class="summary">${result.summary}</p>` : verdicts}
${chartSections(result.charts)}
<h2>All numbers</h2>
${table(result.table)}
${parts.map((part) => html`<h3>${part.title}</h3>${table(part.table)}`)}
<h2>Method</h2>
${list("notes", result.notes)}
<h2>Reproduce</h2>
<pre><code>${result.command}</code></pre>
${facts(result)}`;
}

/** Renders the number of "1.7 (1.6 to 1.8)", and its interval, if any, in smaller letters. */
function withSmallInterval(text: string): Html {
  const [, number, interval] = /^(-?\$?\d.*?) \(([^()]* to [^()]*)\)$/.exec(text) ?? [undefined, text];
  return html`${number}${interval !== undefined && html`<small>${interval}</small>`}`;
}

export const VERDICT_CLASSES: Record<Verdict, string> = { yes: "pass", no: "fail", undecided: "open" };

function checkItem(check: Check): Html {
  const { article, beside } = check;
  const measured = article && `In the article "${article.title}": ${article.result}`;
  return html`<li class="${VERDICT_CLASSES[check.verdict]}"><p>${check.expectation} <small>${check.verdict}</small></p>
<div><b>${check.actual}</b>
${measured !== undefined && html`<p>${measured}</p>`}
${beside !== undefined && html`<details><summary>Other clients and ways</summary>${beside}</details>`}</div></li>`;
}

function table({ columns, rows }: Table): Html {
  const classOf = (at: number) => classed(columns[at]!.number ? "number" : undefined);
  return scrollingTable(
    undefined,
    columns.map(({ title }, at) => html`<th${classOf(at)}>${title}</th>`),
    rows.map(({ cells, newGroup }) => {
      const content = cells.map((cell, at) => html`<td${classOf(at)}>${withSmallInterval(cell)}</td>`);
      return html`<tr${classed(newGroup ? "group" : undefined)}>${content}</tr>`;
    }),
  );
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

function facts({ machine, commit, load, versions, startedAt, seconds, seed, settings }: Result): Html {
  const { cpu, cores, memoryGb, system } = machine;
  const entries = {
    Machine: `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, load ${machine.load}`,
    Node: machine.node.slice(1),
    "Function runtime": machine.runtime === "own" ? "the testbed's own" : machine.runtime,
    ...versions,
    Engine: String(settings.engine),
    "Round trip": `${settings.rttMs} ms${settings.tls ? ", TLS" : ""}`,
    "Other load": `${percent(load.before)} before the run${load.others === null ? "" : `, ${percent(load.others)} during it`}`,
    Seed: String(seed),
    Started: startedAt,
    ...(commit !== undefined && { Commit: commit }),
    Duration: `${seconds} s`,
  };
  const items = Object.entries(entries).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`);
  return html`<dl>${items}</dl>`;
}
