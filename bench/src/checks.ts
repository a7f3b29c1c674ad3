import { ARTICLES, type ArticleClaim, CLAIMS, type ClaimName } from "./articles.js";
import { type Estimate, MIN_REPETITIONS } from "./estimate.js";
import { factor, withInterval } from "./format.js";
import type { Check, Claim, Verdict } from "./result.js";

/** Details of a check. */
export interface CheckDetails extends Pick<Check, "article" | "beside"> {
  /** The numbers behind the estimate. */
  readonly detail?: string;
  /** Formats the estimate. Default: as a factor. */
  readonly text?: (value: number) => string;
}

/** Returns yes or no if the whole interval lies on one side of the limit, else undecided. */
export function decide({ low, high, n }: Estimate, bound: "at least" | "at most", limit: number): Verdict {
  if (n < MIN_REPETITIONS) return "undecided";
  if (bound === "at least") return low >= limit ? "yes" : high < limit ? "no" : "undecided";
  return high <= limit ? "yes" : low > limit ? "no" : "undecided";
}

/** Checks that an estimate is at least a limit. */
export const atLeast = (expectation: string, estimate: Estimate, limit: number, details: CheckDetails = {}) =>
  checkOf(expectation, decide(estimate, "at least", limit), estimate, details);

/** Checks that an estimate is at most a limit. */
export const atMost = (expectation: string, estimate: Estimate, limit: number, details: CheckDetails = {}) =>
  checkOf(expectation, decide(estimate, "at most", limit), estimate, details);

function checkOf(
  expectation: string,
  verdict: Verdict,
  estimate: Estimate,
  { detail, text = factor, ...details }: CheckDetails,
): Check {
  const actual = `${withInterval(estimate, text)}${detail === undefined ? "" : `; ${detail}`}`;
  return { expectation, verdict, actual, ...details };
}

/** Checks a condition that is counted, not estimated. */
export const exactly = (
  expectation: string,
  holds: boolean,
  actual: string,
  details: Pick<Check, "article" | "beside"> = {},
): Check => ({ expectation, verdict: holds ? "yes" : "no", actual, ...details });

/** Returns the checks of a run of `rounds` repetitions: with too few all are undecided, counted ones too. */
export const decided = (checks: readonly Check[], rounds: number): readonly Check[] =>
  rounds < MIN_REPETITIONS ? checks.map((check) => ({ ...check, verdict: "undecided" })) : checks;

/** Returns a claim of an article, for a check that decides it. */
export const claimOf = <A extends keyof typeof ARTICLES>(article: A, name: ClaimName<A>): Claim => {
  const { result } = CLAIMS[article][name] as ArticleClaim;
  return { id: `${article}.${name}`, title: ARTICLES[article], result };
};

/** The words of a verdict: a claim of an article is reproduced, one of this project passes. */
export const verdictText = ({ verdict, article }: Pick<Check, "verdict" | "article">): string =>
  verdict === "undecided"
    ? "UNDECIDED"
    : article === undefined
      ? { yes: "PASS", no: "FAIL" }[verdict]
      : { yes: "REPRODUCED", no: "NOT REPRODUCED" }[verdict];

/** A check as one line of text. */
export const checkText = (check: Check): string =>
  `${check.expectation}: ${check.actual}${check.article === undefined ? "" : ` (article: ${check.article.result})`}` +
  `${check.beside === undefined ? "" : `; beside it: ${check.beside}`}`;

const NO_CHECKS = "This scenario measures, and has no checks.";

/** Summarizes the verdicts in one paragraph. */
export function summaryOf(checks: readonly Check[]): string {
  if (checks.length === 0) return NO_CHECKS;
  const groups = new Map<string, Check[]>();
  for (const check of checks) {
    const args = verdictText(check);
    groups.set(args, [...(groups.get(args) ?? []), check]);
  }
  const part = (args: string, start: string) => {
    const own = groups.get(args);
    return own
      ? [`${start}: ${own.map(({ expectation, actual }) => `${expectation} (${actual})`).join("; ")}.`]
      : [];
  };
  const passed = groups.get("PASS")?.length ?? 0;
  const own = checks.filter(({ article }) => article === undefined).length;
  return [
    ...part("REPRODUCED", "Reproduced"),
    ...part("NOT REPRODUCED", "Not reproduced"),
    ...part("FAIL", "Failed"),
    ...part("UNDECIDED", "Undecided, since the interval contains the limit or there are too few repetitions"),
    ...(own > 0 ? [`${passed} of ${own} checks of warmline ${passed === 1 ? "passes" : "pass"}.`] : []),
  ].join(" ");
}
