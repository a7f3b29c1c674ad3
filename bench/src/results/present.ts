import type { BenchClient } from "../client/bench-client.js";
import type { Estimate } from "../statistics/estimate.js";
import { mean, type Series } from "../statistics/series.js";
import { withInterval } from "./format.js";
import type { BarChart, Chart, LineChart, Style, Table } from "./result.js";

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
export type Column<T> = readonly [title: string, cellOf: (row: T) => Cell, digits?: number];

/** Returns a table with a line between groups. */
export function tableOf<T>(
  rows: readonly T[],
  groupOf: (row: T) => string,
  columns: readonly Column<T>[],
): Table {
  const isNumber = ([, cellOf]: Column<T>) => rows.every((row) => typeof cellOf(row) !== "string");
  return {
    columns: columns.map((column) => ({ title: column[0], ...(isNumber(column) && { number: true }) })),
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

/** The columns of some series, by title. */
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

/** A row of a client. */
interface ClientRow {
  readonly client: Pick<BenchClient, "label" | "order" | "tunes">;
}

/** How rows become marks of a chart. */
type MarkOptions<T> = {
  /** The panel of a row. Default: all rows in one panel. */
  readonly group?: (row: T) => string;
  /** Whether each group of bars has a scale of its own. */
  readonly ownScales?: boolean;
} & ([T] extends [ClientRow] ? Partial<Styled<T>> : Styled<T>);

interface Styled<T> {
  /** The label and colour of a row. Default: those of its client; tuned settings are dashed. */
  readonly style: (row: T) => Style;
}

const clientStyle = ({ client: { label, order, tunes } }: ClientRow): Style => ({
  label,
  hue: Math.floor(order) - 1,
  ...(tunes !== undefined && { dashed: true }),
});

const styleOf = <T>(row: T, { style }: Partial<Styled<T>>): Style =>
  style ? style(row) : clientStyle(row as T & ClientRow);

type Points = readonly (readonly [number, number])[];

/** The charts of rows: a mark for each row. */
type ChartOptions<T> = MarkOptions<T> & {
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
    pointsOf: (row: T) => Points,
  ])[];
  /** Titles of charts that the summary page shows too. */
  readonly summary?: readonly string[];
};

/** Returns the charts of rows. */
export function chartsOf<T>(rows: readonly T[], how: ChartOptions<T>): Chart[] {
  const { bars = [], lines = [], summary = [] } = how;
  const panelsOf = (pointsOf: (row: T) => Points) =>
    grouped(rows, how.group ?? (() => "")).map(([title, own]) => ({
      title,
      lines: own.map((row) => ({ ...styleOf(row, how), points: pointsOf(row) })),
    }));
  const charts = [
    ...bars.map(([title, unit, numberOf]) => barChart(title, unit, rows, how, numberOf)),
    ...lines.map(([title, unit, along, pointsOf]): LineChart => {
      return { kind: "lines", title, unit, along, panels: panelsOf(pointsOf) };
    }),
  ];
  return charts.map((chart) => (summary.includes(chart.title) ? { ...chart, inSummary: true } : chart));
}

function barChart<T>(
  title: string,
  unit: string,
  rows: readonly T[],
  how: MarkOptions<T>,
  numberOf: (row: T) => number | Estimate,
): BarChart {
  const lengthOf = (value: number | Estimate) =>
    typeof value === "number"
      ? { value }
      : { value: value.value, ...(value.n > 1 && { low: value.low, high: value.high }) };
  return {
    kind: "bars",
    title,
    unit,
    ...(how.ownScales && { ownScales: true }),
    groups: grouped(rows, how.group ?? (() => "")).map(([title, own]) => ({
      title,
      bars: own.map((row) => ({ ...styleOf(row, how), ...lengthOf(numberOf(row)) })),
    })),
  };
}
