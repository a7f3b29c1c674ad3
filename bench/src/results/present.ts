import type { BenchClient } from "../client/bench-client.js";
import { type Estimate, mean, type Series } from "../statistics/series.js";
import type { BarChart, Chart, LineChart, Style, Table } from "./result.js";

/** A time in milliseconds, with its unit. */
export const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** A time in seconds, with its unit. */
export const seconds = (value: number): string => `${value.toFixed(1)} s`;

/** An amount of money. */
export const dollars = (value: number): string => `$${value.toFixed(2)}`;

/** How many times as much. */
export const factor = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)}x`;

/** How many times as much, to three digits behind the point. */
export const preciseFactor = (value: number): string => `${value.toFixed(3)}x`;

/** A share as a percentage. */
export const share = (ratio: number): string => `${(ratio * 100).toFixed(1)}%`;

/** A whole number with separators. */
export const count = (value: number): string => Math.round(value).toLocaleString("en");

/** Numbers whose interval is wider than this factor are no figure: they are shown as a range. */
const WIDE = 1.5;

/** An estimate with its interval: "1.72 ms (1.65 ms to 1.80 ms)", or a range if that is wide. One repetition has no interval. */
export function withInterval({ value, low, high, n }: Estimate, text: (value: number) => string): string {
  if (n < 2) return text(value);
  const range = `${text(low)} to ${text(high)}`;
  return low > 0 && high > WIDE * low ? range : `${text(value)} (${range})`;
}

/** Groups items by a key; groups and items keep their order. */
export function grouped<T>(items: readonly T[], groupOf: (item: T) => string): [string, T[]][] {
  const names = [...new Set(items.map(groupOf))];
  return names.map((name) => [name, items.filter((item) => groupOf(item) === name)]);
}

/** Groups rows by client, in their order. */
export const byClient = <T extends { readonly client: { readonly name: string; readonly label: string } }>(
  rows: readonly T[],
) =>
  grouped(rows, ({ client }) => client.name).map(([name, own]) => {
    return { name, label: own[0]!.client.label, rows: own };
  });

/** The value of a table's cell: text, a number, or an estimate with its interval. */
type Cell = string | number | Estimate | undefined;

/** A column: its title, its value for a row, and the digits behind the point. Default: 2 for estimates, else 0. */
type Column<T> = readonly [title: string, cellOf: (row: T) => Cell, digits?: number];

/** Returns a table with a line between groups. */
export function tableOf<T>(
  rows: readonly T[],
  groupOf: (row: T) => string,
  columns: readonly Column<T>[],
): Table {
  return {
    columns: columns.map(([title, cellOf]) => {
      const isNumber = rows.every((row) => typeof cellOf(row) !== "string");
      return { title, ...(isNumber && { number: true }) };
    }),
    rows: grouped(rows, groupOf).flatMap(([, own]) =>
      own.map((row, index) => ({
        newGroup: index === 0,
        cells: columns.map(([, cellOf, digits]) => textOf(cellOf(row), digits)),
      })),
    ),
  };
}

function textOf(value: Cell, digits: number | undefined): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  if (typeof value === "number") return Number.isNaN(value) ? "" : value.toFixed(digits ?? 0);
  if (Number.isNaN(value.value)) return "";
  return withInterval(value, (number) => number.toFixed(digits ?? 2));
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

/** The columns of the medians of some series, by title. */
export const medianColumns = <K extends string>(titles: Readonly<Record<K, string>>, digits = 2) =>
  columnsOf(titles, (series) => series.estimate(), digits);

/** The columns of the mean per round of some series, by title. */
export const meanColumns = <K extends string>(titles: Readonly<Record<K, string>>, digits = 0) =>
  columnsOf(titles, (series) => series.estimate(mean), digits);

/** The columns of the sum over all rounds of some series, by title. */
export const totalColumns = <K extends string>(titles: Readonly<Record<K, string>>) =>
  columnsOf(titles, ({ total }) => total, 0);

interface ClientRow {
  readonly client: Pick<BenchClient, "label" | "order" | "tunes">;
}

const styleOfClient = ({ client: { label, order, tunes } }: ClientRow): Style => ({
  label,
  hue: Math.floor(order) - 1,
  ...(tunes !== undefined && { dashed: true }),
});

/** How rows become charts, with a mark for each row. */
interface ChartOptions<T> {
  /** The panel of a row. Default: all rows in one panel. */
  readonly group?: (row: T) => string;
  /** Whether each group of bars has a scale of its own. */
  readonly ownScales?: boolean;
  /** The label and colour of a row. Default: those of its client, which it must have then; tuned settings are dashed. */
  readonly style?: (row: T) => Style;
  /** Bar charts. The interval of an estimate is drawn as a thin line. */
  readonly bars?: readonly (readonly [
    title: string,
    unit: string,
    numberOf: (row: T) => number | Estimate,
  ])[];
  /** Lines over time or another quantity. */
  readonly lines?: readonly (readonly [
    title: string,
    unit: string,
    along: string,
    pointsOf: (row: T) => readonly (readonly [number, number])[],
  ])[];
}

export function chartsOf<T>(rows: readonly T[], options: ChartOptions<T>): Chart[] {
  const { bars = [], lines = [], ownScales, group = () => "" } = options;
  const style = options.style ?? (styleOfClient as unknown as (row: T) => Style);
  const panels = grouped(rows, group);
  const lengthOf = (value: number | Estimate) =>
    typeof value === "number"
      ? { value }
      : { value: value.value, ...(value.n > 1 && { low: value.low, high: value.high }) };
  return [
    ...bars.map(([title, unit, numberOf]): BarChart => {
      const barOf = (row: T) => ({ ...style(row), ...lengthOf(numberOf(row)) });
      const groups = panels.map(([title, own]) => ({ title, bars: own.map(barOf) }));
      return { kind: "bars", title, unit, ownScales, groups };
    }),
    ...lines.map(([title, unit, along, pointsOf]): LineChart => {
      const lineOf = (row: T) => ({ ...style(row), points: pointsOf(row) });
      const own = panels.map(([title, own]) => ({ title, lines: own.map(lineOf) }));
      return { kind: "lines", title, unit, along, panels: own };
    }),
  ];
}
