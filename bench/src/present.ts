import type { BarChart, CurveChart, Style, Table } from "./result.js";

/** Groups items by a key; groups and items keep their order. */
export function grouped<T>(items: readonly T[], groupOf: (item: T) => string): [string, T[]][] {
  const names = [...new Set(items.map(groupOf))];
  return names.map((name) => [name, items.filter((item) => groupOf(item) === name)]);
}

/** A column: its title, its text for a row, and whether that is a number. */
export type Column<T> = readonly [title: string, textOf: (row: T) => string, kind?: "number"];

/** Returns a table with a line between groups. */
export function tableOf<T>(
  rows: readonly T[],
  groupOf: (row: T) => string,
  columns: readonly Column<T>[],
): Table {
  return {
    columns: columns.map(([title, , kind]) => ({ title, ...(kind && { number: true }) })),
    rows: grouped(rows, groupOf).flatMap(([, own]) =>
      own.map((row, index) => ({
        newGroup: index === 0,
        cells: columns.map(([, textOf]) => textOf(row)),
      })),
    ),
  };
}

/** Options of a bar chart with one bar per row. */
export interface BarOptions<T> {
  readonly title: string;
  readonly unit: string;
  readonly groupOf: (row: T) => string;
  readonly styleOf: (row: T) => Style;
  readonly valueOf: (row: T) => number;
  /** The thin line: its meaning and its two ends. */
  readonly spread?: { readonly label: string; readonly of: (row: T) => { low: number; high: number } };
  readonly textOf?: (row: T) => string;
  readonly logarithmic?: boolean;
}

/** Returns a bar chart. */
export function barChart<T>(rows: readonly T[], how: BarOptions<T>): BarChart {
  return {
    kind: "bars",
    title: how.title,
    unit: how.unit,
    ...(how.spread && { spread: how.spread.label }),
    ...(how.logarithmic && { logarithmic: true }),
    groups: grouped(rows, how.groupOf).map(([title, own]) => ({
      title,
      bars: own.map((row) => ({
        ...how.styleOf(row),
        value: how.valueOf(row),
        ...how.spread?.of(row),
        ...(how.textOf && { text: how.textOf(row) }),
      })),
    })),
  };
}

/** Returns percentile curves: one panel per group, one line per row. */
export function curveChart<T>(
  rows: readonly T[],
  how: {
    readonly title: string;
    readonly groupOf: (row: T) => string;
    readonly styleOf: (row: T) => Style;
    readonly curveOf: (row: T) => readonly (readonly [number, number])[];
  },
): CurveChart {
  return {
    kind: "curves",
    title: how.title,
    unit: "ms",
    panels: grouped(rows, how.groupOf).map(([title, own]) => ({
      title,
      lines: own.map((row) => ({ ...how.styleOf(row), points: how.curveOf(row) })),
    })),
  };
}
