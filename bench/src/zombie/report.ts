import { listed } from "../format.js";
import { barChart, grouped, tableOf } from "../present.js";
import type { Check, Outcome } from "../result.js";

/** The results of one client after one idle time, under one idle limit. */
export interface Measurement {
  readonly client: string;
  readonly label: string;
  /** Whether the client leaves dead connections to its user. */
  readonly naive: boolean;
  /** The server's idle limit, and how long the function was frozen, in seconds of the timeline. */
  readonly limitS: number;
  readonly idleS: number;
  readonly calls: number;
  readonly resolved: number;
  readonly failed: number;
  readonly hung: number;
  readonly wrong: number;
  readonly doubled: number;
  /** The longest until a call settled, in real ms. */
  readonly longestMs: number;
}

const sum = (rows: readonly Measurement[], what: "calls" | "failed" | "hung" | "doubled" | "wrong"): number =>
  rows.reduce((total, row) => total + row[what], 0);
const lost = (rows: readonly Measurement[]): number => sum(rows, "failed") + sum(rows, "hung");
const caseOf = ({ limitS, idleS }: Measurement): string => `limit ${limitS} s, idle ${idleS} s`;

/** Builds the report of the measurements. */
export function buildReport(
  rows: readonly Measurement[],
  lifetimeS: number,
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const clients = grouped(rows, ({ client }) => client);
  const short = (own: readonly Measurement[]) => own.filter(({ limitS }) => limitS < lifetimeS);
  const long = (own: readonly Measurement[]) => own.filter(({ limitS }) => limitS >= lifetimeS);
  const checks: Check[] = clients.flatMap(([client, own]) => {
    const { label, naive } = own[0]!;
    const actual = `${lost(short(own))} of ${sum(short(own), "calls")} calls lost with a shorter limit, ${lost(long(own))} of ${sum(long(own), "calls")} with a longer one`;
    if (client.startsWith("warmline")) {
      return [
        {
          expectation: `${label} loses no call to a connection that died while the function was frozen`,
          passed: lost(own) === 0,
          actual,
        },
        {
          expectation: `${label} applies no write twice`,
          passed: sum(own, "doubled") === 0,
          actual: `${sum(own, "doubled")} of ${sum(own, "calls")}`,
        },
      ];
    }
    if (!naive) return [];
    return {
      expectation: `${label}: an idle limit shorter than the instance's lifetime causes errors, a longer one does not`,
      passed: lost(short(own)) > 0 && lost(long(own)) === 0,
      actual,
    };
  });
  const words = clients.map(([, own]) => {
    const longest =
      Math.max(...(short(own).length > 0 ? short(own) : own).map(({ longestMs }) => longestMs)) / 1_000;
    return `${own[0]!.label} ${lost(short(own))} of ${sum(short(own), "calls")} (longest wait ${longest.toFixed(1)} s)`;
  });
  const naive = checks.filter(({ expectation }) => expectation.includes("shorter than"));
  const came =
    naive.length === 0
      ? "Not tested against the article: no client without connection handling ran."
      : naive.every(({ passed }) => passed)
        ? "Reproduced: an idle limit shorter than the instance's lifetime causes errors in a naive client, a longer one does not."
        : "Not reproduced for every naive client: see the checks.";
  return {
    summary:
      `After a freeze longer than the server's idle limit the connection is dead, and the function has received no FIN. Lost calls: ${listed(words)}. ` +
      `With an idle limit longer than the ${lifetimeS} s that an idle instance lives, ${lost(long(rows))} of ${sum(long(rows), "calls")} calls were lost, over all clients. ` +
      `Writes applied twice: ${sum(rows, "doubled")}. ${came} A client's handling of dead connections matters as much as the limit.`,
    headlines: clients.slice(0, 4).map(([, own]) => ({
      value: `${lost(own)} of ${sum(own, "calls")}`,
      label: `calls lost by ${own[0]!.label}`,
    })),
    checks,
    table: tableOf(rows, caseOf, [
      ["idle limit", ({ limitS }) => `${limitS} s`],
      ["frozen for", ({ idleS }) => (idleS > lifetimeS ? `${idleS} s (a new instance)` : `${idleS} s`)],
      ["client", ({ label }) => label],
      ["calls", ({ calls }) => String(calls), "number"],
      ["resolved", ({ resolved }) => String(resolved), "number"],
      ["failed", ({ failed }) => String(failed), "number"],
      ["hung", ({ hung }) => String(hung), "number"],
      ["duplicates", ({ doubled }) => String(doubled), "number"],
      ["longest ms", ({ longestMs }) => longestMs.toFixed(0), "number"],
    ]),
    charts: [
      barChart(rows, {
        title: "Longest wait for a call after the thaw",
        unit: "ms",
        logarithmic: true,
        groupOf: caseOf,
        styleOf: (row) => ({ label: row.label, hue: lost([row]) > 0 ? 1 : 0 }),
        valueOf: ({ longestMs }) => longestMs,
        textOf: (row) =>
          `${Math.round(row.longestMs)} ms${row.hung > 0 ? ", hung" : row.failed > 0 ? ", failed" : ""}`,
      }),
    ],
  };
}
