import type { Estimate } from "../statistics/series.js";
import type { Load } from "./load-guard.js";
import type { Machine } from "./machine.js";

export interface Style {
  readonly label: string;
  /** The number of a colour of the report, from 0 to 9; the same number means the same thing all over a scenario. */
  readonly hue: number;
  /** Whether these are a client's best known settings rather than those it ships with. */
  readonly dashed?: boolean;
}

/** Bars in groups, on a linear axis from zero. */
export interface BarChart {
  readonly kind: "bars";
  readonly title: string;
  /** Whether each group has a scale of its own, because groups are not compared with each other. */
  readonly ownScales?: boolean;
  readonly unit: string;
  readonly groups: readonly {
    readonly title: string;
    readonly bars: readonly (Style & Readonly<{ value: number; low?: number; high?: number }>)[];
  }[];
}

/** Counts over time or another quantity, one panel beside the other on common scales. */
export interface LineChart {
  readonly kind: "lines";
  readonly title: string;
  readonly unit: string;
  /** The unit of the horizontal axis. */
  readonly along: string;
  readonly panels: readonly {
    readonly title: string;
    readonly lines: readonly (Style & { readonly points: readonly (readonly [number, number])[] })[];
  }[];
}

/** The outcomes of a fault for the calls of a client, from good to bad. */
export const CELL_KINDS = ["right", "rejected", "hung", "wrong", "doubled"] as const;

/** A table of coloured cells: one row per fault, one column per client. */
export interface MatrixChart {
  readonly kind: "matrix";
  readonly title: string;
  readonly about: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly title: string;
    /** One cell per column; null where nothing was measured. */
    readonly cells: readonly ({ readonly kind: (typeof CELL_KINDS)[number]; readonly text: string } | null)[];
  }[];
}

export type Chart = BarChart | LineChart | MatrixChart;

/** A table: the first cells of a row name it, numbers are already text. */
export interface Table {
  readonly columns: readonly { readonly title: string; readonly number?: boolean }[];
  readonly rows: readonly { readonly cells: readonly string[]; readonly newGroup?: boolean }[];
}

/** Whether something holds; undecided if the interval contains the limit or there are too few repetitions. */
export type Verdict = "yes" | "no" | "undecided";

export interface Claim {
  /** The names of the article and of the claim, as `envoy.timeWait`. */
  readonly id: string;
  readonly title: string;
  readonly result: string;
  /** The same number in the unit of the check, if it can be compared. */
  readonly number?: number;
}

/** Something that must hold, and whether it did in this run. */
export interface Check {
  readonly expectation: string;
  readonly verdict: Verdict;
  /** The numbers that decided it. */
  readonly actual: string;
  /** The article whose result the check repeats; its own arm decides. Absent for a promise of this project. */
  readonly article?: Claim;
  /** The estimate that decided it. Absent if it was counted. */
  readonly estimate?: Estimate;
  /** How the number of an article's claim that holds agrees with the article's. */
  readonly agreement?: "same direction" | "same order of magnitude" | "inside the interval";
  /** Other arms and clients, which decide nothing. */
  readonly beside?: string;
}

export interface Report {
  /** The results in sentences for readers who know neither the bench nor the articles. */
  readonly sentences?: readonly string[];
  /** Explanations of the terms in its texts and tables, one each. */
  readonly terms?: readonly string[];
  readonly checks: readonly Check[];
  readonly table: Table;
  readonly charts: readonly Chart[];
  readonly notes: readonly string[];
}

/** The outcome of a scenario. A quick run has no checks. */
export interface Outcome extends Report {
  readonly summary: string;
  /** How long, how often and over what was measured. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly parts?: readonly { readonly name: string; readonly title: string; readonly table: Table }[];
  /** All numbers, for programs: one object per case, with intervals and the numbers of each repetition. */
  readonly data: unknown;
}

/** A run of a scenario, as `--json` writes it. */
export interface Result extends Outcome {
  readonly format: 4;
  readonly scenario: string;
  readonly title: string;
  readonly question: string;
  /** The command line that runs it again. */
  readonly command: string;
  readonly seed: number;
  readonly machine: Machine;
  /** The commit of the repository, with `-dirty` if its files differed. Absent outside a clone. */
  readonly commit?: string;
  readonly load: Load;
  /** When the run began, as ISO 8601; of several runs the first one. */
  readonly startedAt: string;
  /** How long it took; of several runs all of them. */
  readonly seconds: number;
  /** The runs that a published result consists of, each one repetition. Absent if it is one run, with its rounds as repetitions. */
  readonly runs?: {
    readonly count: number;
    /** How many more were void, since the host was slow or busy. */
    readonly void: number;
    readonly seeds: readonly number[];
    readonly startedAt: readonly string[];
  };
}

export interface SkippedScenario {
  readonly scenario: string;
  readonly reason: string;
}

/** Several runs, as `all --json` writes them. */
export interface Collection {
  readonly format: 4;
  readonly results: readonly Result[];
  readonly skipped: readonly SkippedScenario[];
}
