import { type Estimate, mean, type Series } from "../statistics/series.js";
import type { BarChart, Chart, LineChart, Style, Table } from "./result.js";

export const ms = (value: number): string => `${value.toFixed(2)} ms`;
export const seconds = (value: number): string => `${value.toFixed(1)} s`;
export const factor = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)}x`;
export const preciseFactor = (value: number): string => `${value.toFixed(3)}x`;
export const share = (ratio: number): string => `${(ratio * 100).toFixed(1)}%`;
export const count = (value: number): string => Math.round(value).toLocaleString("en");

/** Numbers whose interval is wider than this factor are no figure: they are shown as a range. */
const WIDE = 1.5;

/** An estimate with its interval: "1.72 ms (1.65 ms to 1.80 ms)", or a range if that is wide. One repetition has no interval. */
export function withInterval({ value, low, high, n }: Estimate, text: (value: number) => string): string {
  if (n < 2) return text(value);
  const range = `${text(low)} to ${text(high)}`;
  return low * high > 0 && Math.max(low / high, high / low) > WIDE ? range : `${text(value)} (${range})`;
}

/** Groups items by a key; groups and items keep their order. */
export function grouped<T>(items: readonly T[], groupOf: (item: T) => string): [string, T[]][] {
  const names = [...new Set(items.map(groupOf))];
  return names.map((name) => [name, items.filter((item) => groupOf(item) === name)]);
}

export const byClient = <T extends { readonly client: { readonly name: string; readonly label: string } }>(
  rows: readonly T[],
) =>
  grouped(rows, ({ client }) => client.name).map(([name, own]) => {
    return { name, label: own[0]!.client.label, rows: own };
  });

/** Panels whose largest numbers differ by more than this factor have scales of their own. */
const FAR_APART = 10;

/** The value of a table's cell: text, a number, or an estimate with its interval. */
type Cell = string | number | Estimate | undefined;

type Digits = number | ((estimate: Estimate) => number);

/** A column: its title, its value for a row, and the digits behind the point. Default: 2 for estimates, else 0. */
type Column<T> = readonly [title: string, cellOf: (row: T) => Cell, digits?: Digits];

/** Returns the digits behind the point that an interval supports: two significant ones of its width, at least 2 and at most 4. */
export const supportedDigits = ({ low, high }: Estimate): number =>
  Math.min(4, Math.max(2, 1 - Math.floor(Math.log10(high - low))));

/**
 * Returns a table with a line between groups, and a chart of each column whose title is in `charts`: a panel for each group of rows,
 * with a bar for each row. Groups of one row share a panel.
 */
export function tabulate<T>(
  rows: readonly T[],
  { group, charts: titles = [] }: { readonly group: (row: T) => string; readonly charts?: readonly string[] },
  columns: readonly Column<T>[],
): { table: Table; charts: readonly Chart[] } {
  const groups = grouped(rows, group);
  const texts = columns.filter(([, cellOf]) => rows.some((row) => typeof cellOf(row) === "string"));
  const table: Table = {
    columns: columns.map((column) => ({
      title: column[0],
      ...(!texts.includes(column) && { number: true }),
    })),
    rows: groups.flatMap(([, own]) =>
      own.map((row, index) => ({
        newGroup: index === 0,
        cells: columns.map(([, cellOf, digits]) => textOf(cellOf(row), digits)),
      })),
    ),
  };
  const panels = groups.length === rows.length ? [["", rows] as const] : groups;
  const labels = new Map(panels.flatMap(([, own]) => own.map((row) => [row, labelOf(row, own, texts)])));
  const styleOf = stylesOf([...labels.values()]);
  const charts = titles.map((title): BarChart => {
    const [, cellOf] = columns.find((column) => column[0] === title)!;
    const barsOf = (row: T) => {
      const number = cellOf(row) as number | Estimate;
      const { value, low, high, n } = typeof number === "object" ? number : { value: number, n: 1 };
      if (Number.isNaN(value)) return [];
      return [{ ...styleOf(labels.get(row)!), value, ...(n > 1 && { low, high }) }];
    };
    const bars = panels.map(([name, own]) => ({ title: name, bars: own.flatMap(barsOf) }));
    const drawn = bars.filter((panel) => panel.bars.length > 0);
    const largest = drawn.map((panel) => Math.max(...panel.bars.map(({ value }) => value)));
    const ownScales = Math.max(...largest) > FAR_APART * Math.min(...largest);
    return { kind: "bars", title, unit: "", ownScales, groups: drawn };
  });
  return { table, charts };
}

/** Returns the texts of a row that tell it apart from the other rows of its panel. */
function labelOf<T>(row: T, own: readonly T[], texts: readonly Column<T>[]): string {
  const differing = texts.filter(([, cellOf]) => new Set(own.map(cellOf)).size > 1);
  return (differing.length > 0 ? differing : texts.slice(-1)).map(([, cellOf]) => cellOf(row)).join(", ");
}

/** Returns the style of each label: a hue of its own, as far as the ten hues go. Tuned settings are dashed. */
function stylesOf(labels: readonly string[]): (label: string) => Style {
  const distinct = [...new Set(labels)];
  return (label) => {
    const dashed = label.endsWith(", tuned") && { dashed: true };
    return { label, hue: distinct.indexOf(label) % 10, ...dashed };
  };
}

interface Lines<T> extends Pick<LineChart, "title" | "unit" | "along"> {
  readonly label: (row: T) => string;
  readonly points: (row: T) => readonly (readonly [number, number])[];
  readonly group?: (row: T) => string;
}

/** Returns a chart of lines over time or another quantity: a line for each row, and a panel for each group. */
export function linesOf<T>(
  rows: readonly T[],
  { label, points, group = () => "", ...titles }: Lines<T>,
): LineChart {
  const styleOf = stylesOf(rows.map(label));
  const lineOf = (row: T) => ({ ...styleOf(label(row)), points: points(row) });
  const panels = grouped(rows, group).map(([title, own]) => ({ title, lines: own.map(lineOf) }));
  return { kind: "lines", ...titles, panels };
}

function textOf(value: Cell, digits?: Digits): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  const isNumber = typeof value === "number";
  if (Number.isNaN(isNumber ? value : value.value)) return "";
  if (isNumber) return value.toFixed(typeof digits === "number" ? digits : 0);
  const places = typeof digits === "function" ? digits(value) : (digits ?? 2);
  return withInterval(value, (number) => number.toFixed(places));
}

type SeriesColumns<K extends string> = readonly Column<{ readonly [Key in K]: Series }>[];

/** The columns of a series of latencies in ms. Percentiles with too few values stay empty. */
export const latencyColumns = <K extends string>(key: K, digits = 2): SeriesColumns<K> => [
  ["mean ms", (row) => row[key].estimate(mean), digits],
  ["p50 ms", (row) => row[key].estimate(), digits],
  ["p90 ms", (row) => row[key].p(90), digits],
  ["p99 ms", (row) => row[key].p(99), digits],
  ["p99.9 ms", (row) => row[key].p(99.9), digits],
];

const columnsOf = <K extends string>(
  titles: Readonly<Record<K, string>>,
  cellOf: (series: Series) => Cell,
  digits: number,
): SeriesColumns<K> =>
  (Object.entries(titles) as [K, string][]).map(([key, title]) => [title, (row) => cellOf(row[key]), digits]);

export const medianColumns = <K extends string>(titles: Readonly<Record<K, string>>, digits = 2) =>
  columnsOf(titles, (series) => series.estimate(), digits);

export const meanColumns = <K extends string>(titles: Readonly<Record<K, string>>, digits = 0) =>
  columnsOf(titles, (series) => series.estimate(mean), digits);

export const totalColumns = <K extends string>(titles: Readonly<Record<K, string>>) =>
  columnsOf(titles, ({ total }) => total, 0);
