import { listedClaims } from "../articles.js";
import type { Check, Result, Verdict } from "../result.js";

/** One row of the table of the articles' claims. */
export interface ClaimRow {
  /** The title of the article. */
  readonly title: string;
  /** The claim; "" in further rows of one claim. */
  readonly text: string;
  /** The article's own number. */
  readonly article: string;
  /** The measurement with its interval, or the reason why there is none. */
  readonly here: string;
  readonly reproduced: Verdict | "not measured" | "not yet run";
  /** The result that decided it. */
  readonly result?: Result;
}

/** Returns a row per check that decides a claim, and one for each claim that none decides. */
export function claimRows(results: readonly Result[]): ClaimRow[] {
  const found = results.flatMap((result) => result.checks.map((check) => ({ result, check })));
  return listedClaims().flatMap(({ id, title, text, result: article, scenarios, unmeasured }): ClaimRow[] => {
    if (unmeasured !== undefined) {
      return [{ title, text, article, here: unmeasured, reproduced: "not measured" }];
    }
    const own = found.filter(({ check }) => check.article?.id === id);
    if (own.length === 0) {
      const here = `Scenario: ${scenarios.join(", ")}`;
      return [{ title, text, article, here, reproduced: "not yet run" }];
    }
    return own.map(({ check, result }, at) => ({
      title,
      text: at === 0 ? text : "",
      article: at === 0 ? article : "",
      here: hereOf(check),
      reproduced: check.verdict,
      result,
    }));
  });
}

const hereOf = ({ expectation, actual, beside }: Check): string =>
  `${expectation}: ${actual}${beside === undefined ? "" : `; beside it: ${beside}`}`;
