import type { Chart, Style, Table } from "../result.js";
import { byClient, type Measurement } from "./tally.js";

const ms = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

/** The table of call results, fault by fault. */
export function tableOf(rows: readonly Measurement[]): Table {
  return {
    columns: [
      { title: "fault" },
      { title: "client" },
      { title: "calls", number: true },
      { title: "resolved", number: true },
      { title: "failed", number: true },
      { title: "duplicates", number: true },
      { title: "wrong", number: true },
      { title: "longest ms", number: true },
    ],
    rows: rows.map((row, at) => {
      const before = rows[at - 1];
      return {
        newGroup: row.group !== before?.group,
        cells: [
          row.fault === before?.fault ? "" : row.fault,
          row.label,
          String(row.calls),
          String(row.resolved),
          row.hung > 0 ? `${row.failed + row.hung} (${row.hung} hung)` : String(row.failed),
          String(row.doubled),
          String(row.wrong),
          ms(row.longestMs),
        ],
      };
    }),
  };
}

/** Returns charts of duplicate writes and of the longest waits. */
export function chartsOf(rows: readonly Measurement[]): Chart[] {
  const clients = byClient(rows);
  const styleOf = ({ client, label }: Measurement): Style => {
    const hue = clients.findIndex((each) => each.client === client);
    return { label, hue };
  };
  const groups = [...new Set(rows.map(({ fault }) => fault))].map((title) => ({
    title,
    rows: rows.filter(({ fault }) => fault === title),
  }));
  const doubled = groups.filter(({ rows: own }) => own.some((row) => row.doubled > 0));
  const charts: Chart[] = [];
  if (doubled.length > 0) {
    charts.push({
      kind: "bars",
      title: "Duplicate writes",
      unit: "",
      groups: doubled.map(({ title, rows: own }) => ({
        title,
        bars: own.map((row) => ({
          ...styleOf(row),
          value: row.doubled,
          text: `${row.doubled} in ${row.calls} ${row.calls === 1 ? "call" : "calls"}`,
        })),
      })),
    });
  }
  charts.push({
    kind: "bars",
    title: "Longest wait for a call to settle",
    unit: "ms",
    logarithmic: true,
    groups: groups.map(({ title, rows: own }) => ({
      title,
      bars: own.map((row) => ({
        ...styleOf(row),
        value: Math.max(1, row.longestMs),
        text: row.hung > 0 ? `${ms(row.longestMs)} ms, hung` : `${ms(row.longestMs)} ms`,
      })),
    })),
  });
  return charts;
}
