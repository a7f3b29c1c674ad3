import { withInterval } from "../bench/src/results/present.js";
import type { Check, Result } from "../bench/src/results/result.js";
import { estimateOf } from "../bench/src/statistics/series.js";
// @ts-expect-error: a script without types
import { BOTH } from "./second-publication.mjs";

export { BOTH };

/** A result as bench/results has it: of two publications, if scripts/second-publication.mjs has compared them. */
export interface Published extends Result {
  readonly earlier?: {
    readonly commit: string;
    readonly startedAt: string;
    readonly ratios: Compared;
    readonly figures: Compared;
    readonly data?: unknown;
  };
}

/** Number of intervals that were compared, and how many of these have no number in common. */
interface Compared {
  readonly compared: number;
  readonly apart: number;
}

/** A check that the two publications decide differently has what the earlier one has. */
export type PublishedCheck = Check & { readonly earlier?: Pick<Check, "verdict" | "actual"> };

/** The numbers of the runs of one publication, or of each publication, the latest one last. */
type Runs = readonly number[];
export type Publications = readonly Runs[];

type Row = Readonly<Record<string, unknown>>;

/** Returns the cases of each publication of a result, the latest one last. */
export const casesOf = ({ data, earlier }: Published): readonly (readonly Row[])[] =>
  [earlier?.data, data].filter((cases) => cases !== undefined) as Row[][];

/**
 * Returns the numbers of the runs of a case in each publication: its values or, if a run has many, their medians.
 * @param wanted properties that the case has
 * @throws if a publication has no such case
 */
export function runsOf(result: Published, wanted: Row, key: string): Publications {
  return casesOf(result).map((cases) => {
    const found = cases.find((row) => Object.entries(wanted).every(([name, value]) => row[name] === value));
    if (!found) throw new Error(`bench/results/${result.scenario}.json lacks ${JSON.stringify(wanted)}`);
    const series = found[key] as { readonly values?: Runs; readonly medians?: Runs };
    return series.values ?? series.medians!;
  });
}

/** Returns `a - b` of each run: a run of both has the same load. */
export const differences = (a: Publications, b: Publications): Publications =>
  a.map((runs, publication) => runs.map((value, run) => value - b[publication]![run]!));

/** Returns a figure: that of the latest publication, or the range of both if their intervals do not overlap. */
export function figureOf(publications: Publications, text: (value: number) => string): string {
  const estimates = publications.map(estimateOf);
  const [low, high] = [Math.min, Math.max].map((end) => end(...estimates.map(({ value }) => value)));
  const [from, to] = [
    estimates.find(({ value }) => value === low)!,
    estimates.find(({ value }) => value === high)!,
  ];
  return from.high < to.low
    ? `${text(from.low)} to ${text(to.high)}${BOTH}`
    : withInterval(estimates.at(-1)!, text);
}

/**
 * Returns which way has the lower numbers, by its differences from the other within each run: "either" if all are zero, "undecided" if
 * the interval contains zero or the publications decide differently.
 * @param differences those of HTTP from TCP
 */
export function better(differences: Publications): "HTTP" | "TCP" | "either" | "undecided" {
  const [one, ...others] = differences.map((runs) => {
    const { low, high } = estimateOf(runs);
    if (low === 0 && high === 0) return "either";
    return high < 0 ? "HTTP" : low > 0 ? "TCP" : "undecided";
  });
  return others.every((other) => other === one) ? one! : "undecided";
}
