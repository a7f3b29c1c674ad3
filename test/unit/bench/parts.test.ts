import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BenchClient } from "../../../bench/src/bench-client.js";
import { parse, UsageError } from "../../../bench/src/command-line.js";
import { Latencies, median } from "../../../bench/src/latencies.js";
import { randomFrom, shuffled } from "../../../bench/src/random.js";
import { evenSteps, roundSteps } from "../../../bench/src/report/scale.js";
import type { Scenario } from "../../../bench/src/scenario.js";
import { asText } from "../../../bench/src/table.js";

describe("latencies", () => {
  test("latencies keep three digits of every percentile", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.001, max: 5_000, noNaN: true }), { minLength: 1, maxLength: 300 }),
        (values) => {
          const latencies = new Latencies();
          for (const value of values) latencies.record(value);
          const sorted = [...values].sort((a, b) => a - b);
          const { count, p50, max } = latencies.stats();
          const middle = sorted[Math.ceil(sorted.length / 2) - 1]!;
          expect(count).toBe(values.length);
          expect(Math.abs(p50 - middle)).toBeLessThanOrEqual(middle * 0.002 + 0.001);
          expect(Math.abs(max - sorted.at(-1)!)).toBeLessThanOrEqual(max * 0.002 + 0.001);
        },
      ),
    );
  });

  test("latencies have no percentiles beyond their count", () => {
    const latencies = new Latencies();
    for (let n = 1; n <= 100; n++) latencies.record(n);
    expect(latencies.stats().curve.at(-1)).toEqual([99, expect.closeTo(99, 0)]);
  });

  test("the median of an even count lies between the two in the middle", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
  });
});

test("shuffling by a seed is repeatable and loses nothing", () => {
  const items = Array.from({ length: 12 }, (_, index) => index);
  const order = (seed: number) => shuffled(items, randomFrom(seed));
  expect(order(1)).toEqual(order(1));
  expect(order(1)).not.toEqual(order(2));
  expect([...order(3)].sort((a, b) => a - b)).toEqual(items);
  const firsts = new Set(Array.from({ length: 200 }, (_, seed) => order(seed)[0]));
  expect(firsts.size).toBe(12);
});

test("axis steps are round and enclose every value", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 1e4, noNaN: true }),
      fc.double({ min: 1, max: 1e3, noNaN: true }),
      (low, ratio) => {
        const steps = roundSteps(low, low * ratio);
        expect(steps[0]!).toBeLessThanOrEqual(low);
        expect(steps.at(-1)!).toBeGreaterThanOrEqual(low * ratio);
      },
    ),
  );
  expect(roundSteps(1, 1)).toEqual([1, 2]);
  expect(roundSteps(1.3, 18)).toEqual([1, 2, 5, 10, 20]);
  expect(evenSteps(0, 741, 4)).toEqual([0, 200, 400, 600, 800]);
  expect(evenSteps(0, 5.24, 4)).toEqual([0, 2, 4, 6]);
  expect(evenSteps(0, 4, 4)).toEqual([0, 1, 2, 3, 4]);
  expect(evenSteps(0, 0.003, 4)).toEqual([0, 0.001, 0.002, 0.003]);
});

test("a table is aligned as text", () => {
  const text = asText({
    columns: [{ title: "name" }, { title: "ms", number: true }],
    rows: [{ cells: ["a", "1.25"], newGroup: true }, { cells: ["longer", "10.50"] }],
  });
  expect(text.split("\n")).toEqual(["name       ms", "------  -----", "a        1.25", "longer  10.50"]);
});

describe("the command line", () => {
  const scenario = { name: "keepalive" } as Scenario;
  const standard = [
    { name: "warmline", standard: true },
    { name: "agent", standard: true },
  ] as BenchClient[];
  const clients = [...standard, { name: "undici", standard: false } as BenchClient];
  const sweep = { name: "sweep", clients: "all", distances: true } as Scenario;
  const fixed = { name: "fixed", clients: [] } as Partial<Scenario> as Scenario;
  const read = (...args: string[]) => parse(args, [scenario, sweep, fixed], clients);

  test("the command line has defaults", () => {
    expect(read("keepalive", "--seed", "5")).toMatchObject({
      action: "run",
      settings: { quick: false, rttMs: 1, tls: false, seed: 5, engine: "embedded", clients: standard },
      line: "npm run bench -- keepalive --seed 5",
    });
  });

  test("the command line reads options, and the command that repeats the run has the seed and no files", () => {
    const command = read(
      "keepalive",
      "--rtt",
      "0.5",
      "--json",
      "a.json",
      "--report=b.html",
      "--tls",
      "--clients",
      "agent",
    );
    expect(command).toMatchObject({
      settings: { rttMs: 0.5, tls: true, clients: [{ name: "agent" }] },
      json: "a.json",
      report: "b.html",
    });
    expect((command as { line: string }).line).toMatch(
      /^npm run bench -- keepalive --rtt 0.5 --tls --clients agent --seed \d+$/,
    );
  });

  test("the command line takes clients and round-trip times from the scenario unless they are given", () => {
    expect(read("keepalive", "--clients", "all")).toMatchObject({ settings: { clients } });
    expect(read("sweep")).toMatchObject({ settings: { clients, rtts: undefined } });
    expect(read("sweep", "--rtt", "0,20", "--clients", "undici")).toMatchObject({
      settings: { clients: [{ name: "undici" }], rtts: [0, 20], rttMs: 0 },
    });
  });

  test.each([
    [["nonsense"], "Unknown scenario: nonsense"],
    [[], "Expected one scenario"],
    [["keepalive", "--rtt", "fast"], "--rtt must be a number >= 0"],
    [["keepalive", "--rounds", "1.5"], "--rounds must be a whole number >= 1"],
    [
      ["keepalive", "--clients", "nobody"],
      "Unknown client in --clients: nobody. Known clients: warmline, agent, undici",
    ],
    [["keepalive", "--rtt", "1,2"], "--rtt must be one number for keepalive"],
    [["keepalive", "--wrong"], "--wrong"],
    [
      ["keepalive", "--engine", "/none"],
      "--engine must be embedded, auto or the path of an executable; /none is not executable.",
    ],
    [["fixed", "--clients", "agent"], "--clients cannot be used with fixed: its set of clients is fixed."],
  ])("the command line refuses %j with a one-line message", (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});
