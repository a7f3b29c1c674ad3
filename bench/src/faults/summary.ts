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
          expectation: `${label} settles every call before the function's time is up`,
          passed: total(own, "hung") === 0,
          actual: `${total(own, "hung")} hung`,
        },
        {
          expectation: `${label} resolves with nothing but the command's own value`,
          passed: total(own, "wrong") === 0,
          actual: `${total(own, "wrong")} wrong values`,
        },
      ];
      if (client === "warmline-once") {
        checks.push({
          expectation: `${label} answers every call that can be answered`,
          passed: total(possible, "resolved") === total(possible, "calls"),
          actual: `${total(possible, "resolved")} of ${total(possible, "calls")}`,
        });
      }
      return checks;
    });
}

/** The sums that a reader sees first. */
export function headlinesOf(rows: readonly Measurement[]): Headline[] {
  return byClient(rows).map(({ label, rows: own }) => ({
    value: String(total(own, "doubled")),
    label: `writes too many with ${label}`,
  }));
}

/** One paragraph: what was doubled, what was wrong, what failed, what hung. */
export function summaryOf(rows: readonly Measurement[]): string {
  const sentences = byClient(rows).map(({ label, rows: own }) => {
    const calls = total(own, "calls");
    const parts = [`of ${calls} calls ${total(own, "resolved")} resolved`];
    const failed = total(own, "failed");
    const unknown = total(own, "unknown");
    const said = unknown > 0 ? ` (${unknown} of them writes that said that they may have been applied)` : "";
    if (failed > 0) parts.push(`${failed} rejected${said}`);
    const hung = total(own, "hung");
    if (hung > 0) parts.push(`${hung} hung until the function's time was up`);
    const ends = [doubledInWords(own), wrongInWords(own)];
    const longest = Math.max(...own.map(({ hopeless, longestMs }) => (hopeless ? 0 : longestMs)));
    ends.push(`where an answer could be had the longest wait was ${seconds(longest)}`);
    return `With ${label}, ${listed(parts)}; ${ends.join("; ")}.`;
  });
  return sentences.join(" ");
}

function doubledInWords(rows: readonly Measurement[]): string {
  const doubled = total(rows, "doubled");
  if (doubled === 0) return "no write was applied more often than it was issued";
  const worst = rows.reduce((most, row) =>
    row.doubled / row.calls > most.doubled / most.calls ? row : most,
  );
  const times = Number((1 + worst.doubled / worst.calls).toFixed(1));
  return `writes were applied ${doubled} times more often than they were issued, at worst ${times} times for one call (${worst.fault})`;
}

function wrongInWords(rows: readonly Measurement[]): string {
  const wrong = total(rows, "wrong");
  return wrong === 0 ? "no value was wrong" : `${wrong} resolved with a wrong value`;
}
