import { listedClaims } from "../results/articles.js";
import { checkText } from "../results/checks.js";
import type { Result } from "../results/result.js";

/**
 * Returns the rows of the table of the articles' claims. A row has the article, the claim, the article's number, the measurement (or why
 * there is no measurement), other measurements beside it, and the verdict. If several results decide a claim, the last one counts.
 */
export function claimRows(results: readonly Result[]) {
  const found = results.flatMap((result) => result.checks.map((check) => ({ result, check })));
  return listedClaims().map(({ id, title, text, result: article, number, scenario, unmeasured }) => {
    const own = found.findLast(({ check }) => check.article?.id === id);
    const here = own ? checkText(own.check) : (unmeasured ?? `Scenario: ${scenario}`);
    const { beside, verdict, agreement } = own?.check ?? {};
    const agreed = agreement && number === undefined ? "same direction" : agreement;
    const reproduced = agreed ?? verdict ?? (unmeasured === undefined ? "not yet run" : "not measured");
    return { title, text, article, here, beside, reproduced, verdict, ...own };
  });
}
