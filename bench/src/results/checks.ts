import { type Estimate, MIN_REPETITIONS } from "../statistics/series.js";
import { type ClaimId, claimOf } from "./articles.js";
import { factor, withInterval } from "./present.js";
import type { Check, Claim, Verdict } from "./result.js";

interface Decided {
  /** The claim of an article that the check decides. */
  readonly article?: ClaimId;
  /** Results of other set-ups, which decide nothing. */
  readonly beside?: string;
}

interface Estimated extends Decided {
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

const limited =
  (bound: "at least" | "at most") =>
  (expectation: string, estimate: Estimate, limit: number, details: Estimated = {}): Check => {
    const { detail, text = factor, article, beside } = details;
    const actual = `${withInterval(estimate, text)}${detail === undefined ? "" : `; ${detail}`}`;
    const verdict = decide(estimate, bound, limit);
    return { expectation, verdict, actual, estimate, article: articleOf(article), beside };
  };

/** Check whether the interval of an estimate lies above or below a limit. */
export const atLeast = limited("at least");
export const atMost = limited("at most");

/** Checks a condition that is counted, not estimated. */
export function exactly(expectation: string, holds: boolean, actual: string, details: Decided = {}): Check {
  const { article, beside } = details;
  return { expectation, verdict: holds ? "yes" : "no", actual, article: articleOf(article), beside };
}

/**
 * Returns the checks of a run of `rounds` repetitions, with how the articles' claims agree. With too few repetitions all are
 * undecided, counted ones too.
 */
export const decided = (checks: readonly Check[], rounds: number): readonly Check[] =>
  rounds < MIN_REPETITIONS
    ? checks.map((check) => ({ ...check, verdict: "undecided" }))
    : checks.map((check) => ({ ...check, ...agreementOf(check) }));

/** An interval that differs as a whole by less than this factor is of the same order of magnitude. */
const MAGNITUDE = 10;

/** Returns how a claim that holds agrees with the number of its article; a number of the other sign is a no. */
function agreementOf({ verdict, article, estimate }: Check): Pick<Check, "agreement"> & Partial<Check> {
  if (verdict !== "yes" || article === undefined) return {};
  const { number } = article;
  if (number === undefined || estimate === undefined) return { agreement: "same direction" };
  const { low, high } = estimate;
  if (number > 0 && high < 0) return { verdict: "no" };
  if (low <= number && number <= high) return { agreement: "inside the interval" };
  const near = low > 0 && Math.max(number / low, high / number) < MAGNITUDE;
  return { agreement: near ? "same order of magnitude" : "same direction" };
}

/** Returns the claim of an article, as results contain it. */
function articleOf(id: ClaimId | undefined): Claim | undefined {
  if (id === undefined) return undefined;
  const { title, result, number } = claimOf(id);
  return { id, title, result, number };
}

/**
 * Returns a function that checks articles' claims by rows. The row of the article's own set-up decides; `beside` has the numbers of
 * the others. Without that row nothing is decided.
 * @param isOwn whether a row is the article's own set-up
 */
export const decidedBy =
  <T extends { readonly label: string }>(rows: readonly T[], isOwn: (row: T) => boolean) =>
  (claim: ClaimId, check: (row: T) => Check): Check[] => {
    const own = rows.find(isOwn);
    if (!own) return [];
    const decided = check(own);
    const others = rows.filter((row) => row !== own).map((row) => `${row.label}: ${check(row).actual}`);
    const beside = [decided.beside, ...others].filter((text) => text !== undefined).join("; ");
    return [{ ...decided, article: articleOf(claim), beside: beside || undefined }];
  };

export const checkText = ({ expectation, actual }: Check): string => `${expectation}: ${actual}`;

/** Returns "3 yes, 1 no, 0 undecided". */
export function verdictCounts(checks: readonly Check[]): string {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  return `${count("yes")} yes, ${count("no")} no, ${count("undecided")} undecided`;
}

export const summaryOf = (checks: readonly Check[]): string =>
  checks.length === 0 ? "This scenario measures, and has no checks." : `${verdictCounts(checks)}.`;
