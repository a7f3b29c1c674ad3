import { change, factor, listed, ms } from "../format.js";
import type { Check, Headline } from "../result.js";
import { type Measurement, pick } from "./cell.js";

/** How far the warm median of a recreated warmline client may be from that of a reused one. */
const TOLERANCE = 0.05;

const labels = (cells: readonly Measurement[]): { client: string; label: string }[] => {
  const seen = new Map(cells.map(({ client, label }) => [client, { client, label }]));
  return [...seen.values()];
};

/** Checks the numbers that the project promises. */
export function checksOf(cells: readonly Measurement[]): Check[] {
  const checks: Check[] = [];
  const clients = labels(cells);
  if (clients.some(({ client }) => client === "warmline")) {
    const reused = pick(cells, "warmline", true, true);
    const recreated = pick(cells, "warmline", true, false);
    const apart = recreated.warm.p50 / reused.warm.p50 - 1;
    checks.push({
      expectation: "warmline recreated in the handler opens one connection per instance",
      passed: recreated.connections === recreated.instances,
      actual: `${recreated.connections} connections, ${recreated.instances} instances`,
    });
    checks.push({
      expectation: "warmline recreated in the handler has a warm p50 within 5% of reused",
      passed: Math.abs(apart) <= TOLERANCE,
      actual: `p50 ${ms(recreated.warm.p50)} against ${ms(reused.warm.p50)}, ${change(apart)}`,
    });
  }
  if (clients.some(({ client }) => client === "agent")) {
    const recreated = pick(cells, "agent", true, false);
    checks.push({
      expectation: "bare agent recreated in the handler opens one connection per invocation",
      passed: recreated.connections === recreated.invocations,
      actual: `${recreated.connections} connections, ${recreated.invocations} invocations`,
    });
  }
  for (const { client, label } of clients) {
    const off = [pick(cells, client, false, true), pick(cells, client, false, false)];
    checks.push({
      expectation: `${label} with keep-alive off opens one connection per invocation`,
      passed: off.every((cell) => cell.connections === cell.invocations),
      actual: off.map((cell) => `${cell.connections} of ${cell.invocations}`).join(", "),
    });
  }
  return checks;
}

/** Returns four numbers that show the value of a warm connection for the first client. */
export function headlinesOf(cells: readonly Measurement[]): Headline[] {
  const { client, label } = cells[0]!;
  const on = pick(cells, client, true, true);
  const off = pick(cells, client, false, true);
  const recreated = pick(cells, client, true, false);
  return [
    { value: ms(on.warm.p50), label: `${label}, warm, p50` },
    { value: ms(off.warm.p50), label: "warm p50 without keep-alive" },
    { value: ms(on.first.median), label: "first invocation" },
    {
      value: String(recreated.connections),
      label: `connections of ${recreated.invocations} recreated clients`,
    },
  ];
}

/** Summarizes the gain from keep-alive, the effect of recreating the client, and the first invocation. */
export function summaryOf(cells: readonly Measurement[], rttMs: number, tls: boolean): string {
  const clients = labels(cells);
  const path = rttMs > 0 ? `Over a round trip of ${rttMs} ms${tls ? " with TLS" : ""}` : "Over loopback";
  const gains = clients.map(({ client, label }) => {
    const on = pick(cells, client, true, true).warm.p50;
    const off = pick(cells, client, false, true).warm.p50;
    return `from ${ms(off)} to ${ms(on)} with ${label} (${factor(off / on)})`;
  });
  const sentences = [`${path}, keep-alive changes the median warm command ${listed(gains)}.`];

  const recreated = clients.map(({ client, label }) => {
    const cell = pick(cells, client, true, false);
    const slower = change(cell.warm.p50 / pick(cells, client, true, true).warm.p50 - 1);
    return {
      text: `${label} (${slower}; ${connectionsInWords(cell)})`,
      lost: cell.connections === cell.invocations,
    };
  });
  const outcomes = [false, true].flatMap((lost) => {
    const texts = recreated.filter((each) => each.lost === lost).map(({ text }) => text);
    const verb = `${lost ? "lose" : "keep"}${texts.length === 1 ? "s" : ""}`;
    return texts.length === 0 ? [] : `${listed(texts)} ${verb} the connection`;
  });
  sentences.push(`If the client is recreated in every invocation, ${outcomes.join("; ")}.`);

  const firsts = clients.map(
    ({ client, label }) => `${ms(pick(cells, client, true, true).first.median)} with ${label}`,
  );
  sentences.push(`The first invocation of a new instance takes ${listed(firsts)}.`);
  sentences.push(articleOf(cells));
  return sentences.join(" ");
}

/** Compares the numbers with the article's result. */
function articleOf(cells: readonly Measurement[]): string {
  const clients = labels(cells);
  const ratios = clients.map(({ client, label }) => {
    const { first, warm } = pick(cells, client, true, true);
    return `${factor(first.median / warm.p50)} with ${label}`;
  });
  const otherwise = clients.flatMap(({ client, label }) => {
    const on = pick(cells, client, true, true);
    const kept = on.warm.p50 < pick(cells, client, false, true).warm.p50;
    return kept && on.warm.p50 < on.first.median ? [] : [label];
  });
  const loses = clients.filter(({ client }) => {
    const cell = pick(cells, client, true, false);
    return cell.connections === cell.invocations;
  });
  return (
    `The first invocation takes longer than a warm one: ${listed(ratios)} (article: 20x, 43 and 2.2 ms). ` +
    (otherwise.length === 0
      ? "Reproduced: a kept connection is faster than a new one. "
      : `Not reproduced with ${listed(otherwise)}: a kept connection is faster than a new one. `) +
    (loses.length === 0
      ? "Not reproduced: no recreated client loses the connection."
      : `Reproduced${loses.length < clients.length ? ` only with ${listed(loses.map(({ label }) => label))}` : ""}: a recreated client loses the connection.`)
  );
}

/** How many connections a cell opened, in words. */
function connectionsInWords({ connections, instances, invocations }: Measurement): string {
  if (connections === invocations) return "one connection per invocation";
  if (connections === instances) return "one connection per instance";
  return `${connections} connections in ${invocations} invocations`;
}
