import { verdictText } from "./checks.js";
import { count } from "./format.js";
import type { Check, Result } from "./result.js";

/** One run: a name for messages, and its results. */
export interface NamedRun {
  readonly name: string;
  readonly results: readonly Pick<Result, "scenario" | "checks">[];
}

interface Pair {
  readonly name: string;
  readonly checks: readonly [Check | undefined, Check | undefined];
}

/** The verdicts of two runs, compared check by check. */
export interface Comparison {
  /** Whether every check that is yes or no in both runs has the same verdict, and no check is in one run alone. */
  readonly agrees: boolean;
  /** Numbers of checks. */
  readonly counts: {
    /** Yes in both runs, or no in both. */
    readonly agreeing: number;
    /** Yes in one run and no in the other. */
    readonly contradicted: number;
    /** Undecided in one run, and yes or no in the other. */
    readonly undecidedInOne: number;
  };
  /** The output of `compare`. */
  readonly text: string;
}

/** Compares the verdicts of two runs, check by check. */
export function compareRuns(a: NamedRun, b: NamedRun): Comparison {
  const [ofA, ofB] = [checksOf(a), checksOf(b)];
  const names = [...new Set([...ofA.keys(), ...ofB.keys()])];
  const pairs: Pair[] = names.map((name) => ({ name, checks: [ofA.get(name), ofB.get(name)] }));
  const verdicts = ({ checks }: Pair) => checks.map((check) => check?.verdict);
  const differs = (pair: Pair) => new Set(verdicts(pair)).size > 1;
  const alone = pairs.filter(({ checks }) => checks.includes(undefined));
  const both = pairs.filter((pair) => !alone.includes(pair));
  const decided = both.filter((pair) => !verdicts(pair).includes("undecided"));
  const contradicted = decided.filter(differs);
  const unconfirmed = both.filter((pair) => !decided.includes(pair) && differs(pair));
  const lines = (title: string, some: readonly Pair[]) =>
    some.length === 0 ? [] : ["", `${title}:`, ...some.map((pair) => describe(pair, a.name, b.name))];
  const agreeing = decided.length - contradicted.length;
  return {
    agrees: contradicted.length + alone.length === 0,
    counts: { agreeing, contradicted: contradicted.length, undecidedInOne: unconfirmed.length },
    text: [
      `${count(decided.length)} checks are yes or no in both runs, and ${count(agreeing)} of them agree.`,
      ...lines("Yes in one run and no in the other", contradicted),
      ...lines("Undecided in one run", unconfirmed),
      ...lines("In one run alone", alone),
      "",
    ].join("\n"),
  };
}

/** Returns the checks of a run by scenario and expectation. Of a scenario the last result counts. */
function checksOf({ results }: NamedRun): Map<string, Check> {
  const last = new Map(results.map((result) => [result.scenario, result]));
  return new Map(
    [...last.values()].flatMap(({ scenario, checks }) =>
      checks.map((check) => [`${scenario}: ${check.expectation}`, check] as const),
    ),
  );
}

function describe({ name, checks }: Pair, ...runs: readonly string[]): string {
  const sides = checks.map((check, at) =>
    check ? `    ${runs[at]}: ${verdictText(check)}, ${check.actual}` : `    ${runs[at]}: not measured`,
  );
  return [`  ${name}`, ...sides].join("\n");
}
