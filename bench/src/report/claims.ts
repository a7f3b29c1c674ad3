import { listedClaims } from "../results/articles.js";
import type { Agreement, Result, Verdict } from "../results/result.js";

/** One row of the table of the articles' claims. */
export interface ClaimRow {
  /** The title of the article. */
  readonly title: string;
  readonly text: string;
  /** The article's own number. */
  readonly article: string;
  /** The measurement with its interval, or the reason why there is none. */
  readonly here: string;
  /** Measurements of other arms and clients, which decide nothing. */
  readonly beside?: string | undefined;
  readonly reproduced: Verdict | Agreement | "not measured" | "not yet run";
  readonly verdict?: Verdict;
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
    const { expectation, actual, beside, verdict, agreement } = own.check;
    const here = `${expectation}: ${actual}`;
    return { ...claim, here, beside, reproduced: agreement ?? verdict, verdict, result: own.result };
  });
}
