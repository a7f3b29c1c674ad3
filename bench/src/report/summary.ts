import { grouped } from "../results/present.js";
import type { Result, SkippedScenario } from "../results/result.js";
import { chartSections } from "./chart-section.js";
import { claimRows } from "./claims.js";
import { escapeHtml, list, scrollingTable, tag } from "./html.js";
import { checkItem, htmlDocument, VERDICT_CLASSES, verdictCounts } from "./page.js";

/**
 * Renders the summary of several results: the articles' claims, the charts that scenarios mark for it, and a list of all.
 * @param linkOf the address of a result's own page.
 */
export function summaryPage(
  results: readonly Result[],
  skipped: readonly SkippedScenario[],
  linkOf: (result: Result) => string,
): string {
  const link = (result: Result, text: string) => tag("a", { href: linkOf(result) }, escapeHtml(text));
  const charts = results.flatMap((result) =>
    result.charts
      .filter(({ inSummary }) => inSummary)
      .map(
        (chart) => chartSections([chart]) + tag("p", { class: "more" }, "More: ", link(result, result.title)),
      ),
  );
  const busy = results
    .filter(({ load }) => load.warning !== undefined)
    .map((result) => link(result, result.scenario));
  return htmlDocument(
    "warmline bench",
    tag("header", {}, tag("p", { class: "mark" }, "warmline bench"), tag("h1", {}, "Summary")),
    busy.length === 0
      ? ""
      : tag("p", { class: "warning" }, `Warning: the machine was busy during ${busy.join(", ")}.`),
    claims(results, link),
    lost(results, link),
    ...charts,
    tag("h2", {}, "All scenarios"),
    scrollingTable(
      "wrapped",
      ["scenario", "question", "checks"].map((title) => tag("th", {}, title)),
      results.map((result) =>
        tag(
          "tr",
          { class: "group" },
          tag("td", {}, link(result, result.title)),
          tag("td", {}, escapeHtml(result.question)),
          tag("td", {}, result.checks.length === 0 ? "none" : verdictCounts(result.checks)),
        ),
      ),
    ),
    list(
      "notes",
      skipped.map(({ scenario, reason }) => `Skipped: ${scenario}: ${reason}`),
    ),
  );
}

/** Renders every check whose verdict is no; "" if there is none. */
function lost(results: readonly Result[], link: (result: Result, text: string) => string): string {
  const items = results.flatMap((result) =>
    result.checks
      .filter(({ verdict }) => verdict === "no")
      .map((check) => checkItem(check, `${link(result, result.scenario)}: `)),
  );
  if (items.length === 0) return "";
  return tag("h2", {}, "Failed and not reproduced") + tag("ul", { class: "checks" }, ...items);
}

/** Renders all claims of the articles beside what was measured; "" if no result decides one. */
function claims(results: readonly Result[], link: (result: Result, text: string) => string): string {
  const all = claimRows(results);
  if (all.every(({ result }) => result === undefined)) return "";
  const rows = grouped(all, ({ title }) => title).flatMap(([title, own]) => [
    tag("tr", { class: "group" }, tag("th", { colspan: "4", scope: "colgroup" }, escapeHtml(title))),
    ...own.map(({ text, article, here, beside, reproduced, verdict, result }) =>
      tag(
        "tr",
        {},
        tag("td", {}, escapeHtml(text)),
        tag("td", { "data-title": "article: " }, escapeHtml(article)),
        tag(
          "td",
          { "data-title": "here: " },
          result ? link(result, here) : escapeHtml(here),
          beside === undefined ? "" : tag("details", {}, tag("summary", {}, "beside it"), escapeHtml(beside)),
        ),
        tag("td", { class: verdict && VERDICT_CLASSES[verdict] }, ` ${reproduced}`),
      ),
    ),
  ]);
  const head = ["claim", "article", "here, with 95% interval", "reproduced"].map((title) =>
    tag("th", {}, title),
  );
  return [
    tag("h2", {}, "The articles"),
    tag(
      "p",
      { class: "about" },
      "The article's own set-up decides. Undecided: the interval contains the limit, or there are too few repetitions.",
    ),
    scrollingTable("wrapped claims", head, rows),
  ].join("");
}
