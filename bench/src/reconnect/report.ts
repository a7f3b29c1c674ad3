import { factor, listed, share } from "../format.js";
import type { Spread } from "../latencies.js";
import { barChart, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";

/** The ways to reach Redis, in the order of the table. */
export const WAYS = {
  static: "direct to Redis, static connection",
  reconnect: "direct to Redis, a connection per command",
  "gateway-static": "gateway next to Redis, static connection",
  "gateway-reconnect": "gateway next to Redis, a connection per command",
  "sidecar-reconnect": "gateway next to the function, a connection per command",
} as const;

export type Way = keyof typeof WAYS;

/** The throughput of a number of clients that connect in one way. */
export interface Measurement {
  readonly way: Way;
  readonly clients: number;
  readonly transactions: number;
  /** Transactions per second, the time for connecting included, by round. */
  readonly tps: Spread;
  /** Transactions per second without the time that the clients spent connecting. */
  readonly tpsExcluding: number;
  /** The command's own time in ms, connecting not included. */
  readonly meanMs: number;
  readonly deviationMs: number;
}

const tps = (value: number): string => `${Math.round(value)}/s`;
const clientsOf = ({ clients }: Measurement): string => `${clients} client${clients === 1 ? "" : "s"}`;

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const pick = (way: Way, clients: number) =>
    rows.find((row) => row.way === way && row.clients === clients)?.tps.median;
  const counts = [...new Set(rows.map(({ clients }) => clients))];
  const sentences: string[] = [];
  const checks: Check[] = [];
  for (const clients of counts) {
    const [fixed, anew, pooled, beside] = [
      pick("static", clients),
      pick("reconnect", clients),
      pick("gateway-reconnect", clients),
      pick("sidecar-reconnect", clients),
    ];
    const kept = pick("gateway-static", clients);
    const who = `${clients} client${clients === 1 ? "" : "s"}`;
    if (kept !== undefined && pooled !== undefined) {
      checks.push({
        expectation: `${who}: a static connection to the gateway is faster than one per command`,
        passed: kept > pooled,
        actual: `${tps(kept)} against ${tps(pooled)}`,
      });
    }
    if (fixed === undefined || anew === undefined || pooled === undefined || beside === undefined) continue;
    const lost = fixed - anew;
    sentences.push(
      `With ${who}, a connection per command lowers throughput from ${tps(fixed)} to ${tps(anew)}. Through the gateway's pool it is ${tps(pooled)} with the gateway next to Redis and ${tps(beside)} next to the function, which recovers ${share((beside - anew) / lost)} of the loss`,
    );
    checks.push(
      {
        expectation: `${who}: a connection per command lowers throughput`,
        passed: anew < fixed,
        actual: `${tps(anew)} against ${tps(fixed)}`,
      },
      {
        // The article has one client; with many, the machine's processors set the limit, and not the connection.
        expectation: `${who}: the gateway's pool recovers ${clients === 1 ? "most" : "some"} of the lost throughput`,
        passed: (beside - anew) / lost > (clients === 1 ? 0.5 : 0),
        actual: `${tps(beside)} of ${tps(fixed)}, from ${tps(anew)}; next to Redis ${tps(pooled)}`,
      },
    );
  }
  const first = counts[0]!;
  const lead = (way: Way, label: string) => {
    const value = pick(way, first);
    return value === undefined ? [] : [{ value: tps(value), label }];
  };
  const failed = checks.filter(({ passed }) => !passed).map(({ expectation }) => expectation);
  return {
    summary:
      (sentences.length > 0
        ? `${sentences.join(". ")}. In the article (1,560, 20 and 290 per second) the pool recovers ${share((290 - 20) / (1_560 - 20))}: there the pool saves starting a PostgreSQL process per connection, but not the handshake. `
        : `Without Redis over TCP only the gateway was measured: ${listed(counts.map((clients) => `with ${clients} client${clients === 1 ? "" : "s"} ${tps(pick("gateway-static", clients)!)} over static connections and ${tps(pick("gateway-reconnect", clients)!)} with one per command (${factor(pick("gateway-static", clients)! / pick("gateway-reconnect", clients)!)})`))}. `) +
      (failed.length === 0 && sentences.length === 0
        ? "Reproduced in part: a connection per command lowers throughput. The pool was not tested."
        : failed.length === 0
          ? "Reproduced: a connection per command costs most of the throughput, and a nearby pool recovers it."
          : `Not reproduced: ${listed(failed)}.`),
    headlines: [
      ...lead("static", "static connection"),
      ...lead("reconnect", "a connection per command"),
      ...lead("gateway-reconnect", "a connection per command, gateway next to Redis"),
      ...lead("sidecar-reconnect", "a connection per command, gateway next to the function"),
    ],
    checks,
    table: tableOf(rows, clientsOf, [
      ["clients", ({ clients }) => String(clients), "number"],
      ["connection", ({ way }) => WAYS[way]],
      ["tps", (row) => Math.round(row.tps.median).toString(), "number"],
      ["tps without connecting", (row) => Math.round(row.tpsExcluding).toString(), "number"],
      ["latency ms", (row) => row.meanMs.toFixed(3), "number"],
      ["stddev ms", (row) => row.deviationMs.toFixed(3), "number"],
      ["transactions", ({ transactions }) => String(transactions), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Transactions per second, connecting included",
        unit: "/s",
        groupOf: clientsOf,
        styleOf: ({ way }) => ({
          label: WAYS[way],
          hue: way.startsWith("gateway") ? 2 : way.startsWith("sidecar") ? 0 : 1,
          dashed: way.endsWith("reconnect"),
        }),
        valueOf: (row) => row.tps.median,
        spread: {
          label: "the range of the rounds",
          of: (row) => ({ low: row.tps.min, high: row.tps.max }),
        },
      }),
    ],
  };
}
