import { grouped } from "../results/present.js";
import type { Result, SkippedScenario } from "../results/result.js";
import { chartSections } from "./chart-section.js";
import { claimRows } from "./claims.js";
import { classed, type Html, html, list, scrollingTable } from "./html.js";
import { checkItem, htmlDocument, VERDICT_CLASSES, verdictCounts } from "./page.js";

type Link = (result: Result, text: string) => Html;

/**
 * Renders the summary of several results: the articles' claims, the charts that scenarios mark for it, and a list of all.
 * @param linkOf the address of a result's own page.
 */
export function summaryPage(
  results: readonly Result[],
  skipped: readonly SkippedScenario[],
  linkOf: (result: Result) => string,
): string {
  const link: Link = (result, text) => html`<a href="${linkOf(result)}">${text}</a>`;
  const charts = results.flatMap((result) =>
    result.charts
      .filter(({ inSummary }) => inSummary)
      .map((chart) => html`${chartSections([chart])}<p class="more">More: ${link(result, result.title)}</p>`),
  );
  const busy = results.filter(({ load }) => load.warning !== undefined);
  const links = busy.map((result, at) => html`${at > 0 && ", "}${link(result, result.scenario)}`);
  const rows = results.map((result) => {
    const verdicts = result.checks.length === 0 ? "none" : verdictCounts(result.checks);
    return html`<tr class="group"><td>${link(result, result.title)}</td><td>${result.question}</td><td>${verdicts}</td></tr>`;
  });
  return htmlDocument(
    "warmline bench",
    html`<header><p class="mark">warmline bench</p><h1>Summary</h1></header>
${busy.length > 0 && html`<p class="warning">Warning: the machine was busy during ${links}.</p>`}
${claims(results, link)}
${failed(results, link)}
${charts}
<h2>All scenarios</h2>
${scrollingTable("wrapped", headOf("scenario", "question", "checks"), rows)}
${list(
  "notes",
  skipped.map(({ scenario, reason }) => `Skipped: ${scenario}: ${reason}`),
)}`,
  );
}

const headOf = (...titles: readonly string[]) => titles.map((title) => html`<th>${title}</th>`);

/** Renders every check whose verdict is no, if there is one. */
function failed(results: readonly Result[], link: Link): Html | undefined {
  const items = results.flatMap((result) =>
    result.checks
      .filter(({ verdict }) => verdict === "no")
      .map((check) => checkItem(check, html`${link(result, result.scenario)}: `)),
  );
  if (items.length === 0) return undefined;
  return html`<h2>Failed and not reproduced</h2><ul class="checks">${items}</ul>`;
}

/** Renders all claims of the articles beside what was measured, if a result decides one. */
function claims(results: readonly Result[], link: Link): Html | undefined {
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
