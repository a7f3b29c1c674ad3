import { listed } from "../format.js";
import type { Check, Headline } from "../result.js";
import { byClient, type Measurement, total } from "./tally.js";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Checks the numbers that the project promises. */
export function checksOf(rows: readonly Measurement[]): Check[] {
  return byClient(rows)
    .filter(({ client }) => client.startsWith("warmline"))
    .flatMap(({ client, label, rows: own }) => {
      const possible = own.filter(({ hopeless }) => !hopeless);
      const checks: Check[] = [
        {
          expectation: `${label} applies no write more than once`,
          passed: total(own, "doubled") === 0,
          actual: `${total(own, "doubled")} of ${total(own, "calls")} calls`,
        },
        {
          expectation: `${label} settles every call before the function times out`,
          passed: total(own, "hung") === 0,
          actual: `${total(own, "hung")} hung`,
        },
        {
          expectation: `${label} resolves only with the command's own value`,
          passed: total(own, "wrong") === 0,
          actual: `${total(own, "wrong")} wrong values`,
        },
      ];
      if (client === "warmline-once") {
        checks.push({
          expectation: `${label} resolves every call that can succeed`,
          passed: total(possible, "resolved") === total(possible, "calls"),
          actual: `${total(possible, "resolved")} of ${total(possible, "calls")}`,
        });
      }
      return checks;
    });
}

/** Returns the duplicate writes of each client. */
export function headlinesOf(rows: readonly Measurement[]): Headline[] {
  return byClient(rows).map(({ label, rows: own }) => ({
    value: String(total(own, "doubled")),
    label: `duplicate writes with ${label}`,
  }));
}

/** Summarizes duplicates, wrong values, failed and hung calls of each client. */
export function summaryOf(rows: readonly Measurement[]): string {
  const sentences = byClient(rows).map(({ label, rows: own }) => {
    const calls = total(own, "calls");
    const parts = [`of ${calls} calls ${total(own, "resolved")} resolved`];
    const failed = total(own, "failed");
    const unknown = total(own, "unknown");
    const said = unknown > 0 ? ` (${unknown} of them writes with an unknown outcome)` : "";
    if (failed > 0) parts.push(`${failed} rejected${said}`);
    const hung = total(own, "hung");
    if (hung > 0) parts.push(`${hung} hung until the function timed out`);
    const ends = [doubledInWords(own), wrongInWords(own)];
    const longest = Math.max(...own.map(({ hopeless, longestMs }) => (hopeless ? 0 : longestMs)));
    ends.push(`the longest wait for a call that could succeed was ${seconds(longest)}`);
    return `With ${label}, ${listed(parts)}; ${ends.join("; ")}.`;
  });
  return sentences.join(" ");
}

function doubledInWords(rows: readonly Measurement[]): string {
  const doubled = total(rows, "doubled");
  if (doubled === 0) return "no write was applied more than once";
  const worst = rows.reduce((most, row) =>
    row.doubled / row.calls > most.doubled / most.calls ? row : most,
  );
  const times = Number((1 + worst.doubled / worst.calls).toFixed(1));
  return `${doubled} duplicate writes were applied, at worst one write ${times} times (${worst.fault})`;
}

function wrongInWords(rows: readonly Measurement[]): string {
  const wrong = total(rows, "wrong");
  return wrong === 0 ? "no value was wrong" : `${wrong} resolved with a wrong value`;
}
