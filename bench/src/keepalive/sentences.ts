import { decide } from "../results/checks.js";
import type { Estimate } from "../statistics/series.js";

/** Maximum ratio of a command's time with a new client to that with a kept one at which both count as equally fast. */
export const SAME_SPEED = 1.05;

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const between = ({ low, high }: Estimate, digits: number) =>
  `${low.toFixed(digits)} to ${high.toFixed(digits)}`;

/** Returns what a kept connection saved per command: `saved` in ms, and `times` as the ratio of the times without and with it. */
export function savedSentence(saved: Estimate, times: Estimate): string {
  const interval = `(${between(saved, 1)})`;
  const verdict = decide(saved, "at least", 0);
  if (verdict === "yes")
    return `A kept connection saved ${ms(saved.value)} ${interval} per command: a new one took ${times.value.toFixed(1)}x as long.`;
  if (verdict === "no")
    return `A kept connection saved nothing: a command took ${ms(-saved.value)} longer than over a new one.`;
  return `It is not clear whether a kept connection saved time: ${ms(saved.value)} ${interval} per command.`;
}

/** Returns whether a client created in every call is as fast as a kept one, and the most connections of a process with such clients. */
export function recreatedSentence(times: Estimate, connections: number): string {
  const verdict = decide(times, "at most", SAME_SPEED);
  const start = verdict === "undecided" ? "It is not clear whether a client" : "A client";
  const is = verdict === "yes" ? "is as fast as" : "is slower than";
  const opened = connections === 1 ? "1 connection" : `up to ${connections} connections`;
  return `${start} created in every call ${is} one kept outside: ${times.value.toFixed(2)}x (${between(times, 2)}), with ${opened} per process.`;
}

/** The first commands of a client after freezes in which the network dropped its connection. */
interface Thawed {
  readonly label: string;
  readonly commands: number;
  readonly lost: number;
  /** The time of those that were not lost, in ms. */
  readonly ms: Estimate;
}

/** Returns what the first command after a freeze took with a client, and how many were lost with it and with the others. */
export function frozenSentence(own: Thawed, all: readonly Thawed[]): string {
  const others = all.filter(({ label }) => label !== own.label);
  const lost = ({ lost, commands }: Thawed) => `${lost} of ${commands}`;
  const took = own.lost < own.commands ? `the first command took ${ms(own.ms.value)}, and ` : "";
  const beside = others.map((other) => `${other.label}: ${lost(other)}`).join(", ");
  return `After a freeze in which the network dropped the connection, ${took}${lost(own)} were lost${beside === "" ? "" : ` (${beside})`}.`;
}
