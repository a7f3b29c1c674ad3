// Compares the results in bench/results with those of an earlier publication, at a commit, and writes what both agree on:
//   node scripts/second-publication.mjs <commit>
// A figure whose two intervals do not overlap becomes the range of both, with the mark †. A verdict stands only if both have it.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The mark of a figure that is a range from the one publication's interval to the other's. */
export const BOTH = "†";

/** How an article's claim that holds agrees with the article, from weak to strong. */
const AGREEMENTS = ["same direction", "same order of magnitude", "inside the interval"];

/** Scenarios whose runs docs/benchmarks.md compares one by one: their results keep the numbers of the earlier publication. */
const COMPARED_BY_RUN = ["established", "keepalive", "memory", "zombie"];

/** Reads the interval of a figure, as tables and checks have it: "1.7 ms (1.6 ms to 1.9 ms)" or "1.6 ms to 2.9 ms". */
function intervalIn(text) {
  const ends = /^(?:[^()]+ \()?([^()]*\d[^()]*) to ([^()]*\d[^()]*)\)?$/.exec(text)?.slice(1);
  if (!ends) return undefined;
  const numbers = ends.map((end) => /-?\d[\d.]*/.exec(end.replaceAll(",", ""))[0]);
  const [low, high] = numbers.map(Number);
  /** The most that rounding changed it by. */
  const rounding = 0.5 * 10 ** -(numbers[0].split(".")[1]?.length ?? 0);
  return { ends, low, high, rounding };
}

/** Whether two intervals have a number in common, one of which may be rounded more than the other. */
function overlap(one, two) {
  const rounding = one.rounding === two.rounding ? 0 : Math.max(one.rounding, two.rounding);
  return one.low <= two.high + rounding && two.low <= one.high + rounding;
}

/** What a check decides: a claim of an article, however it is worded, or an expectation. */
const idOf = ({ article, expectation }) => article?.id ?? expectation;

/** Whether a figure is a ratio, by its text or by the title of its column. */
const isRatio = (text, title) => /\d(?:x|%)/.test(text) || /^x |speedup/.test(title);

/**
 * Compares two published results of a scenario.
 * @returns the second one with the ranges and undecided checks; the names of what differs; the number of ratios and of other figures
 */
export function compared(first, second) {
  const apart = { ratios: [], figures: [], verdicts: [] };
  const counts = { ratios: 0, figures: 0 };
  const figure = (name, before, after, title = "") => {
    const [one, two] = [intervalIn(before), intervalIn(after)];
    if (!one || !two) return after;
    const kind = isRatio(after, title) ? "ratios" : "figures";
    counts[kind]++;
    if (overlap(one, two)) return after;
    apart[kind].push(name);
    const [lower, upper] = one.low < two.low ? [one, two] : [two, one];
    return `${lower.ends[0]} to ${upper.ends[1]}${BOTH}`;
  };
  const table = (before, after) => {
    const nameOf = ({ cells }) => cells.filter((_, at) => !after.columns[at].number).join(", ");
    const rows = after.rows.map((row, at) => {
      const name = nameOf(row);
      // Cases have the same order in each publication.
      const old = before.rows[at] && nameOf(before.rows[at]) === name ? before.rows[at].cells : [];
      const cells = row.cells.map((cell, column) => {
        const { title, number } = after.columns[column];
        return number ? figure(`${name}: ${title}`, old[column] ?? "", cell, title) : cell;
      });
      return { ...row, cells };
    });
    return { ...after, rows };
  };
  const check = (after) => {
    const before = first.checks.find((each) => idOf(each) === idOf(after));
    if (!before) return after;
    const [own, ...details] = after.actual.split("; ");
    const actual = [figure(after.expectation, before.actual.split("; ")[0], own), ...details].join("; ");
    if (before.verdict === after.verdict) {
      const agreement = AGREEMENTS.find((each) => [before.agreement, after.agreement].includes(each));
      return { ...after, actual, ...(agreement && { agreement }) };
    }
    apart.verdicts.push(after.expectation);
    const { agreement: _, ...rest } = after;
    const earlier = { verdict: before.verdict, actual: before.actual };
    return { ...rest, actual, verdict: "undecided", earlier };
  };
  const partBefore = (name) => first.parts?.find((part) => part.name === name);
  const checks = second.checks.map(check);
  const number = (verdict) => `${checks.filter((each) => each.verdict === verdict).length} ${verdict}`;
  const result = {
    ...second,
    table: table(first.table, second.table),
    checks,
    ...(checks.length > 0 && { summary: `${["yes", "no", "undecided"].map(number).join(", ")}.` }),
    ...(second.parts && {
      parts: second.parts.map((part) => {
        const before = partBefore(part.name);
        return before ? { ...part, table: table(before.table, part.table) } : part;
      }),
    }),
  };
  const { commit, startedAt, data } = first;
  const earlier = {
    ...{ commit, startedAt },
    ratios: { compared: counts.ratios, apart: apart.ratios.length },
    figures: { compared: counts.figures, apart: apart.figures.length },
    ...(COMPARED_BY_RUN.includes(second.scenario) && { data }),
  };
  return { result: { ...result, earlier }, apart, counts };
}

/** Returns the text of a published result with other contents: each property and each case has its line. */
function textOf({ data, ...rest }) {
  const properties = Object.entries(rest).map(([key, value]) => `"${key}": ${JSON.stringify(value)},\n`);
  return `{${properties.join("")}"data": [\n${data.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const commit = process.argv[2];
  if (!commit) throw new Error("Name the commit of the earlier publication.");
  const root = resolve(import.meta.dirname, "..");
  const total = { ratios: 0, figures: 0, ratiosApart: 0, figuresApart: 0 };
  for (const name of readdirSync(join(root, "bench/results"))) {
    const file = join(root, "bench/results", name);
    const before = execFileSync("git", ["show", `${commit}:bench/results/${name}`], {
      ...{ cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 },
    });
    const second = JSON.parse(readFileSync(file, "utf8"));
    // The range of both publications would overlap with the first one.
    if (second.earlier) throw new Error(`${file} has been compared already.`);
    const { result, apart, counts } = compared(JSON.parse(before), second);
    writeFileSync(file, textOf(result));
    total.ratios += counts.ratios;
    total.figures += counts.figures;
    total.ratiosApart += apart.ratios.length;
    total.figuresApart += apart.figures.length;
    for (const [kind, names] of Object.entries(apart))
      for (const each of names) console.log(`${name}: ${kind} apart: ${each}`);
  }
  const of = (all, apart) => `${all - apart} of ${all}`;
  console.log(
    `The intervals of ${of(total.ratios, total.ratiosApart)} ratios and ${of(total.figures, total.figuresApart)} other figures overlap.`,
  );
}
