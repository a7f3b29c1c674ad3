import { type Estimate, MIN_REPETITIONS } from "../statistics/series.js";
import { articleOf, CLAIMS } from "./articles.js";
import { factor, grouped, withInterval } from "./present.js";
import type { Check, Claim, Verdict } from "./result.js";

interface CheckDetails extends Pick<Check, "article" | "beside"> {
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

const limited =
  (bound: "at least" | "at most") =>
  (expectation: string, estimate: Estimate, limit: number, details: CheckDetails = {}): Check => {
    const { detail, text = factor, ...others } = details;
    const actual = `${withInterval(estimate, text)}${detail === undefined ? "" : `; ${detail}`}`;
    return { expectation, verdict: decide(estimate, bound, limit), actual, estimate, ...others };
  };

export const atLeast = limited("at least");

export const atMost = limited("at most");

/** Checks a condition that is counted, not estimated. */
export const exactly = (
  expectation: string,
  holds: boolean,
  actual: string,
  details: Pick<Check, "article" | "beside"> = {},
): Check => ({ expectation, verdict: holds ? "yes" : "no", actual, ...details });

/**
 * Returns the checks of a run of `rounds` repetitions, with how the articles' claims agree. With too few repetitions all are
 * undecided, counted ones too.
 */
export const decided = (checks: readonly Check[], rounds: number): readonly Check[] =>
  rounds < MIN_REPETITIONS
    ? checks.map((check) => ({ ...check, verdict: "undecided" }))
    : checks.map((check) => ({ ...check, ...agreementOf(check) }));

/** Numbers that differ by less than this factor are of the same order of magnitude. */
const MAGNITUDE = 10;

/** Returns how a claim that holds agrees with the number of its article; a number of the other sign is a no. */
function agreementOf({ verdict, article, estimate }: Check): Pick<Check, "agreement"> & Partial<Check> {
  if (verdict !== "yes" || article === undefined) return {};
  const { number } = article;
  if (number === undefined || estimate === undefined) return { agreement: "same direction" };
  const { value, low, high } = estimate;
  if (number > 0 && high < 0) return { verdict: "no" };
  if (low <= number && number <= high) return { agreement: "inside the interval" };
  const near = value > 0 && Math.max(number / value, value / number) < MAGNITUDE;
  return { agreement: near ? "same order of magnitude" : "same direction" };
}

/** Returns a claim of an article, for a check that decides it. */
export const claimOf = (id: keyof typeof CLAIMS): Claim => {
  const { result, number } = CLAIMS[id];
  return { id, title: articleOf(id), result, number };
};

/**
 * Returns a function that checks articles' claims by rows. The row of the article's own set-up decides; the numbers of the others are
 * beside it. Without that row nothing is decided.
 * @param isOwn whether a row is the article's own set-up
 */
export const decidedBy =
  <T extends { readonly label: string }>(rows: readonly T[], isOwn: (row: T) => boolean) =>
  (article: Claim, check: (row: T) => Check): Check[] => {
    const own = rows.find(isOwn);
    if (!own) return [];
    const decided = check(own);
    const others = rows.filter((row) => row !== own).map((row) => `${row.label}: ${check(row).actual}`);
    const beside = [...(decided.beside === undefined ? [] : [decided.beside]), ...others].join("; ");
    return [{ ...decided, article, ...(beside !== "" && { beside }) }];
  };

/** The words of a verdict: a claim of an article is reproduced, one of this project passes. */
export const verdictText = ({ verdict, article }: Pick<Check, "verdict" | "article">): string =>
  verdict === "undecided"
    ? "UNDECIDED"
    : article === undefined
      ? { yes: "PASS", no: "FAIL" }[verdict]
      : { yes: "REPRODUCED", no: "NOT REPRODUCED" }[verdict];

/** Returns the expectation of a check, and the numbers that decided it. */
export const checkText = ({ expectation, actual }: Check): string => `${expectation}: ${actual}`;

const NO_CHECKS = "This scenario measures, and has no checks.";

/** Summarizes the verdicts in one paragraph. */
export function summaryOf(checks: readonly Check[]): string {
  if (checks.length === 0) return NO_CHECKS;
  const groups = new Map(grouped(checks, verdictText));
  const part = (verdict: string, start: string) => {
    const own = groups.get(verdict);
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
