import { summaryOf } from "./checks.js";
import type { Check, Repeated, Result, Table } from "./result.js";

/**
 * Reads the interval of a figure as tables and checks show it: "1.7 ms (1.6 ms to 1.9 ms)", or "1.6 ms to 2.9 ms".
 * @returns its ends as texts, and as numbers; undefined for a text without an interval
 */
function intervalIn(text: string) {
  const [, low, high] = /^(?:[^()]+ \()?([^()]*\d[^()]*) to ([^()]*\d[^()]*)\)?$/.exec(text) ?? [];
  if (low === undefined || high === undefined) return undefined;
  const numberIn = (end: string) => Number(/-?\d[\d.]*/.exec(end.replaceAll(",", ""))![0]);
  return { ends: [low, high] as const, low: numberIn(low), high: numberIn(high) };
}

/** Whether a figure is a ratio, by its text or by the title of its column. */
const isRatio = (text: string, title = ""): boolean => /\d(?:x|%)/.test(text) || /^x |speedup/.test(title);

/**
 * Compares the result of a second publication with the first one. A figure whose two intervals do not overlap is not published as
 * one: its place has the range of both. A check that is yes in one and no in the other is undecided.
 */
export function compareResults(first: Result, second: Result): { result: Result; repeated: Repeated } {
  const ratios = { all: 0, apart: [] as string[] };
  const others = { all: 0, apart: [] as string[] };
  const verdicts: string[] = [];
  /** Returns the text of a figure: that of the second publication, or the range of both. */
  const figure = (name: string, before: string, after: string, title?: string): string => {
    const [one, two] = [intervalIn(before), intervalIn(after)];
    if (!one || !two) return after;
    const counts = isRatio(after, title) ? ratios : others;
    counts.all++;
    if (one.low <= two.high && two.low <= one.high) return after;
    counts.apart.push(name);
    const [lower, upper] = one.low < two.low ? [one, two] : [two, one];
    return `${lower.ends[0]} to ${upper.ends[1]}`;
  };
  const compareTables = (before: Table, after: Table): Table => {
    const nameOf = (cells: readonly string[]) =>
      cells.filter((_, at) => !after.columns[at]!.number).join(", ");
    const rows = after.rows.map((row) => {
      const name = nameOf(row.cells);
      const own = before.rows.find(({ cells }) => nameOf(cells) === name);
      const cellOf = (cell: string, at: number) => {
        const { title, number } = after.columns[at]!;
        return number && own ? figure(`${name}: ${title}`, own.cells[at] ?? "", cell, title) : cell;
      };
      return { ...row, cells: row.cells.map(cellOf) };
    });
    return { ...after, rows };
  };
  const compareChecks = (after: Check): Check => {
    const { expectation, actual } = after;
    const before = first.checks.find((each) => each.expectation === expectation);
    if (!before) return after;
    const [own = "", ...details] = actual.split("; ");
    const text = [figure(expectation, before.actual.split("; ")[0]!, own), ...details].join("; ");
    const isOpposite = [before.verdict, after.verdict].sort().join() === "no,yes";
    if (!isOpposite) return { ...after, actual: text };
    verdicts.push(expectation);
    const { agreement: _, ...rest } = after;
    return { ...rest, actual: text, verdict: "undecided" };
  };
  const table = compareTables(first.table, second.table);
  const parts = second.parts?.map((part) => {
    const before = first.parts?.find(({ name }) => name === part.name);
    return before ? { ...part, table: compareTables(before.table, part.table) } : part;
  });
  const checks = second.checks.map(compareChecks);
  const repeated: Repeated = {
    seeds: first.runs?.seeds ?? [first.seed],
    ...{ ratios: ratios.all, ratiosApart: ratios.apart },
    ...{ figures: others.all, figuresApart: others.apart },
    verdicts,
  };
  // The figures of sentences are in none of the tables.
  const sentences = ratios.apart.length + others.apart.length === 0 ? second.sentences : undefined;
  const compared = { table, checks, summary: summaryOf(checks), sentences, parts };
  return { result: { ...second, ...compared, runs: { ...second.runs!, repeated } }, repeated };
}

/** Returns what a second publication found, in one sentence. */
export function repeatedText({ ratios, ratiosApart, figures, figuresApart, verdicts }: Repeated): string {
  const of = (all: number, apart: readonly string[]) => `${all - apart.length} of ${all}`;
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? "" : `; ${what}: ${names.join("; ")}`;
  return `the intervals of ${of(ratios, ratiosApart)} ratios and ${of(figures, figuresApart)} other figures overlap those of the first publication${named("ratios published as ranges", ratiosApart)}${named("verdicts that differ", verdicts)}`;
}
