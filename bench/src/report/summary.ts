import { verdictCounts } from "../results/checks.js";
import { grouped } from "../results/present.js";
import type { Result, SkippedScenario } from "../results/result.js";
import { claimRows } from "./claims.js";
import { classed, type Html, html, list, scrollingTable } from "./html.js";
import { htmlDocument, resultSection, VERDICT_CLASSES } from "./page.js";

/** Renders the page of several results: the articles' claims, a list of all results, and then each of them. */
export function summaryPage(results: readonly Result[], skipped: readonly SkippedScenario[]): string {
  const rows = results.map(
    (result) =>
      html`<tr class="group"><td>${link(result, result.title)}</td><td>${result.question}</td><td>${verdictCounts(result.checks)}</td></tr>`,
  );
  return htmlDocument(
    "warmline bench",
    html`<header><p class="mark">warmline bench</p><h1>Summary</h1></header>
${claims(results)}
<h2>All scenarios</h2>
${scrollingTable("wrapped", headOf("scenario", "question", "checks"), rows)}
${list(
  "notes",
  skipped.map(({ scenario, reason }) => `Skipped: ${scenario}: ${reason}`),
)}
${results.map(resultSection)}`,
  );
}

const link = ({ scenario }: Result, text: string) => html`<a href="#${scenario}">${text}</a>`;

const headOf = (...titles: readonly string[]) => titles.map((title) => html`<th>${title}</th>`);

/** Renders all claims of the articles beside what was measured, if a result decides one. */
function claims(results: readonly Result[]): Html | undefined {
  const all = claimRows(results);
  if (all.every(({ result }) => result === undefined)) return undefined;
  const rows = grouped(all, ({ title }) => title).map(([title, own]) => [
    html`<tr class="group"><th colspan="4" scope="colgroup">${title}</th></tr>`,
    ...own.map(
      ({ text, article, here, beside, reproduced, verdict, result }) => html`<tr>
<td>${text}</td>
<td data-title="article: ">${article}</td>
<td data-title="here: ">${result ? link(result, here) : here}${beside !== undefined && html`<details><summary>beside it</summary>${beside}</details>`}</td>
<td${classed(verdict && VERDICT_CLASSES[verdict])}> ${reproduced}</td>
</tr>`,
    ),
  ]);
  return html`<h2>The articles</h2>
<p class="about">The article's own set-up decides. Undecided: the interval contains the limit, or there are too few repetitions.</p>
${scrollingTable("wrapped claims", headOf("claim", "article", "here, with 95% interval", "reproduced"), rows)}`;
}
