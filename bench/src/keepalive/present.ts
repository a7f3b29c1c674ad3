import type { Chart, Style, Table } from "../result.js";
import type { Measurement } from "./cell.js";

const ms = (value: number): string => value.toFixed(2);

/** Returns a variant's label and colour: the hue shows keep-alive, dashes a recreated client. */
function styleOf(cell: Pick<Measurement, "keepAlive" | "reused">): Style {
  return {
    label: `keep-alive ${cell.keepAlive ? "on" : "off"}, ${cell.reused ? "reused" : "recreated"}`,
    hue: cell.keepAlive ? 0 : 1,
    dashed: !cell.reused,
  };
}

/** Groups cells by client, in the order of measurement. */
function byClient(cells: readonly Measurement[]): Measurement[][] {
  const names = [...new Set(cells.map((cell) => cell.client))];
  return names.map((name) => cells.filter((cell) => cell.client === name));
}

function connections(cell: Measurement): string {
  const { connections: opened, instances, invocations } = cell;
  if (opened === invocations) return `${opened} (1 per invocation)`;
  return `${opened} (${Number((opened / instances).toFixed(1))} per instance)`;
}

/** Returns the table: each client in the four variants. */
export function tableOf(cells: readonly Measurement[]): Table {
  return {
    columns: [
      { title: "client" },
      { title: "keep-alive" },
      { title: "client is" },
      { title: "first ms", number: true },
      { title: "p50 ms", number: true },
      { title: "p90 ms", number: true },
      { title: "p99 ms", number: true },
      { title: "x fastest", number: true },
      { title: "connections", number: true },
    ],
    rows: byClient(cells).flatMap((own) =>
      own.map((cell, index) => ({
        newGroup: index === 0,
        cells: [
          cell.label,
          cell.keepAlive ? "on" : "off",
          cell.reused ? "reused" : "recreated",
          ms(cell.first.median),
          ms(cell.warm.p50),
          ms(cell.warm.p90),
          ms(cell.warm.p99),
          (cell.warm.p50 / Math.min(...cells.map((each) => each.warm.p50))).toFixed(2),
          connections(cell),
        ],
      })),
    ),
  };
}

/** Returns charts of a command's round trips, the measured latencies and the connections. */
export function chartsOf(cells: readonly Measurement[], rttMs: number, tls: boolean): Chart[] {
  const groups = byClient(cells);
  const charts: Chart[] = [
    {
      kind: "curves",
      title: "Warm invocations: latency by percentile",
      unit: "ms",
      panels: groups.map((own) => ({
        title: own[0]!.label,
        lines: own.map((cell) => ({ ...styleOf(cell), points: cell.warm.curve })),
      })),
    },
    {
      kind: "bars",
      title: "Warm invocations: the median",
      unit: "ms",
      spread: "the range from the median to the 90th percentile",
      groups: groups.map((own) => ({
        title: own[0]!.label,
        bars: own.map((cell) => ({
          ...styleOf(cell),
          value: cell.warm.p50,
          low: cell.warm.p50,
          high: cell.warm.p90,
        })),
      })),
    },
    {
      kind: "bars",
      title: "The first invocation of an instance",
      unit: "ms",
      spread: "the range over instances",
      groups: groups.map((own) => ({
        title: own[0]!.label,
        bars: own.map((cell) => ({
          ...styleOf(cell),
          value: cell.first.median,
          low: cell.first.min,
          high: cell.first.max,
        })),
      })),
    },
    {
      kind: "bars",
      title: `Connections opened in ${cells[0]!.invocations} invocations`,
      unit: "",
      logarithmic: true,
      groups: groups.map((own) => ({
        title: own[0]!.label,
        bars: own.map((cell) => ({ ...styleOf(cell), value: cell.connections, text: connections(cell) })),
      })),
    },
  ];
  return rttMs > 0 ? [handshake(rttMs, tls), ...charts] : charts;
}

function handshake(rttMs: number, tls: boolean): Chart {
  const command = { label: "command", hue: 0, length: rttMs };
  const opening = [
    { label: "TCP", hue: 1, length: rttMs },
    ...(tls ? [{ label: "TLS", hue: 2, length: rttMs }] : []),
  ];
  return {
    kind: "spans",
    title: "Round trips before a response",
    about:
      "To scale, for this run's round-trip time. The time of client and server is not included: it is shortest for a warm " +
      "connection and longest for a TLS handshake.",
    unit: "ms",
    rows: [
      { title: "warm connection", spans: [command] },
      { title: "new connection", spans: [...opening, command] },
    ],
  };
}
