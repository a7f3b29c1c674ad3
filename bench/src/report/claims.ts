import { listedClaims } from "../results/articles.js";
import type { Check, Result, Verdict } from "../results/result.js";

/** One row of the table of the articles' claims. */
export interface ClaimRow {
  /** The title of the article. */
  readonly title: string;
  readonly text: string;
  /** The article's own number. */
  readonly article: string;
  /** The measurement with its interval, or the reason why there is none. */
  readonly here: string;
  readonly reproduced: Verdict | "not measured" | "not yet run";
  /** The result that decided it. */
  readonly result?: Result;
}

/** Returns a row per claim. Of several results that decide it, the last one counts. */
export function claimRows(results: readonly Result[]): ClaimRow[] {
  const found = results.flatMap((result) => result.checks.map((check) => ({ result, check })));
  return listedClaims().map(({ id, title, text, result: article, scenario, unmeasured }): ClaimRow => {
    const claim = { title, text, article };
    if (unmeasured !== undefined) return { ...claim, here: unmeasured, reproduced: "not measured" };
    const own = found.findLast(({ check }) => check.article?.id === id);
    if (!own) return { ...claim, here: `Scenario: ${scenario}`, reproduced: "not yet run" };
    return { ...claim, here: hereOf(own.check), reproduced: own.check.verdict, result: own.result };
  });
}

const hereOf = ({ expectation, actual, beside }: Check): string =>
  `${expectation}: ${actual}${beside === undefined ? "" : `; beside it: ${beside}`}`;
