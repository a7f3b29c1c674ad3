import { ARTICLES } from "../articles.js";
import type { Check, Result, SkippedScenario } from "../result.js";
import { chartSection } from "./chart-section.js";
import { escapeHtml, list, tag } from "./html.js";
import { htmlDocument, VERDICT_CLASSES, verdictCounts } from "./page.js";

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
        (chart) => chartSection(chart) + tag("p", { class: "more" }, "More: ", link(result, result.title)),
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
    ...charts,
    tag("h2", {}, "All scenarios"),
    tag(
      "div",
      { class: "scroll" },
      tag(
        "table",
        { class: "wrapped" },
        tag(
          "thead",
          {},
          tag("tr", {}, ...["scenario", "question", "checks"].map((title) => tag("th", {}, title))),
        ),
        tag(
          "tbody",
          {},
          ...results.map((result) =>
            tag(
              "tr",
              { class: "group" },
              tag("td", {}, link(result, result.title)),
              tag("td", {}, escapeHtml(result.question)),
              tag("td", {}, result.checks.length === 0 ? "none" : verdictCounts(result.checks)),
            ),
          ),
        ),
      ),
    ),
    list(
      "notes",
      skipped.map(({ scenario, reason }) => `Skipped: ${scenario}: ${reason}`),
    ),
  );
}

/** Renders the claims of the articles beside what was measured. */
function claims(results: readonly Result[], link: (result: Result, text: string) => string): string {
  const found = results.flatMap((result) =>
    result.checks.flatMap((check) =>
      check.article === undefined ? [] : [{ result, check, article: check.article }],
    ),
  );
  if (found.length === 0) return "";
  const rows = Object.values(ARTICLES).flatMap((title) => {
    const own = found.filter(({ article }) => article.title === title);
    if (own.length === 0) return [];
    return [
      tag("tr", { class: "group" }, tag("th", { colspan: "4", scope: "colgroup" }, escapeHtml(title))),
      ...own.map(({ result, check, article }) =>
        tag(
          "tr",
          {},
          tag("td", {}, link(result, check.expectation)),
          tag("td", {}, escapeHtml(article.result)),
          tag("td", {}, escapeHtml(actualOf(check))),
          tag("td", { class: VERDICT_CLASSES[check.verdict] }, ` ${check.verdict}`),
        ),
      ),
    ];
  });
  const head = ["claim", "article", "here, with 95% interval", "reproduced"].map((title) =>
    tag("th", {}, title),
  );
  return [
    tag("h2", {}, "The articles"),
    tag(
      "p",
      { class: "about" },
      "The article's own set-up decides. Undecided: the interval contains the limit.",
    ),
    tag(
      "div",
      { class: "scroll" },
      tag("table", { class: "wrapped" }, tag("thead", {}, tag("tr", {}, ...head)), tag("tbody", {}, ...rows)),
    ),
  ].join("");
}

const actualOf = ({ actual, beside }: Check) =>
  beside === undefined ? actual : `${actual}; beside it: ${beside}`;
