import { expect, test } from "vitest";
import { buildReport, type Measurement } from "../../../bench/src/scenarios/gateway.js";

const row = (
  server: Measurement["server"],
  connections: number,
  perSecond: number,
  p50: number,
): Measurement => {
  const seen = (factor: number) => ({
    perSecond: perSecond * factor,
    p50: p50 / factor,
    p99: (2 * p50) / factor,
    cpuMicros: 10,
  });
  // The machine was slower in one round, for all.
  return { server, what: "GET", connections, commands: 1, rounds: [seen(1), seen(0.5), seen(1)], ...seen(1) };
};
const gateway = [row("gateway", 1, 8_000, 0.12), row("gateway", 50, 60_000, 0.7)];
const redis = [row("redis", 1, 20_000, 0.04), row("redis", 50, 90_000, 0.4)];

test("the checks compare the gateway with webdis of the same run", () => {
  const { checks, summary, notes } = buildReport([
    ...gateway,
    row("webdis", 1, 9_000, 0.1),
    row("webdis", 50, 48_000, 0.9),
    ...redis,
  ]);
  expect(checks.map(({ passed }) => passed)).toEqual([true, true]);
  expect(checks[0]!.actual).toBe("60,000 against 48,000; the median of the rounds' ratios is 1.25x");
  expect(summary).toContain("48,000");
  expect(notes.join(" ")).not.toContain("Skipped");
});

test("a check fails if its goal is not met", () => {
  const { checks } = buildReport([
    ...gateway,
    row("webdis", 1, 9_000, 0.09),
    row("webdis", 50, 51_000, 0.9),
    ...redis,
  ]);
  expect(checks.map(({ passed }) => passed)).toEqual([false, false]);
});

test("the report says that webdis was skipped if it is not installed", () => {
  const { checks, notes } = buildReport([...gateway, ...redis]);
  expect(checks).toEqual([]);
  expect(notes.join(" ")).toContain("Skipped: webdis: it is not on PATH.");
});

test("a ratio compares measurements of the same round", () => {
  const slow = ({ rounds, ...rest }: Measurement, factors: number[]): Measurement => ({
    ...rest,
    rounds: rounds.map((seen, i) => ({ ...seen, perSecond: rest.perSecond * factors[i]! })),
  });
  const { checks } = buildReport([
    gateway[0]!,
    slow(gateway[1]!, [0.3, 1, 0.4]),
    row("webdis", 1, 9_000, 0.1),
    slow(row("webdis", 50, 48_000, 0.9), [0.3, 1, 0.4]),
    ...redis,
  ]);
  expect(checks[0]!.actual).toContain("1.25x");
});
