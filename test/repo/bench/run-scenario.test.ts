import { expect, test } from "vitest";
import type { BenchClient } from "../../../bench/src/client/bench-client.js";
import { exactly } from "../../../bench/src/results/checks.js";
import { type Measured, runScenario } from "../../../bench/src/runner/run-scenario.js";
import {
  type Context,
  defineScenario,
  type ScenarioDefinition,
  type Settings,
} from "../../../bench/src/scenario.js";
import { Progress } from "../../../bench/src/util/progress.js";

const settings: Settings = {
  quick: false,
  rttMs: 1,
  rtts: undefined,
  tls: false,
  seed: 1,
  invocations: 1,
  rounds: 6,
  seconds: 1,
  sizes: undefined,
};
const progress = new Progress({ write: () => true, isTTY: false } as never, "test");
const report = { checks: [], table: { columns: [], rows: [] }, charts: [], notes: [] };

interface Each {
  readonly name: string;
  readonly pair: string;
}
const CASES: Each[] = ["a", "b", "c", "d"].map((name, at) => ({ name, pair: at < 2 ? "first" : "second" }));

/** Runs a scenario of four cases and returns the order in which they ran. */
async function ran(
  more: Partial<ScenarioDefinition<Each, { ms: number }>> = {},
  given: Partial<Settings> = {},
  reported = progress,
  clients: readonly BenchClient[] = [],
  runs?: readonly Measured[],
): Promise<{ order: string; data: any } & Awaited<ReturnType<typeof runScenario>>> {
  const order: string[] = [];
  const scenario = defineScenario<Each, { ms: number }>({
    name: "test",
    title: "Test",
    question: "Does it run?",
    defaults: { rounds: [6, 1] },
    cases: () => CASES,
    label: ({ name }) => name,
    run: async ({ name }, _context, round) => {
      order.push(name);
      return { ms: round + 1 };
    },
    report: () => report,
    ...more,
  });
  const ended = await runScenario(scenario, { ...settings, ...given }, clients, reported, runs);
  return { order: order.join(""), data: ended.outcome.data, ...ended };
}

test("the runner runs every case once per round, in an order that the seed determines", async () => {
  const { order } = await ran();
  expect(order).toHaveLength(24);
  const rounds = order.match(/.{4}/g)!;
  for (const round of rounds) expect([...round].sort().join("")).toBe("abcd");
  expect(new Set(rounds).size).toBeGreaterThan(1);
  expect((await ran()).order).toBe(order);
  expect((await ran({}, { seed: 2 })).order).not.toBe(order);
});

test("runs are reported together, each as one repetition of all its rounds, and nothing is measured", async () => {
  const runs: Measured[] = [];
  for (const seed of [1, 2, 3]) runs.push((await ran({}, { rounds: 2, seed })).measured);
  expect(runs.map(({ cases }) => cases.map(({ label }) => label).join(""))).toEqual(["abcd", "abcd", "abcd"]);
  expect(runs[0]!.paces.length).toBeGreaterThanOrEqual(2);
  const rounds: number[] = [];
  const reportOf = (rows: readonly object[], { settings }: Context) => {
    rounds.push(rows.length, settings.rounds);
    return report;
  };
  const { order, data } = await ran({ report: reportOf }, { rounds: 2 }, progress, [], runs);
  expect([order, rounds]).toEqual(["", [4, 6]]);
  // The rounds have 1 and 2 ms.
  expect(data[0].ms).toMatchObject({
    count: 6,
    rounds: 3,
    means: [1.5, 1.5, 1.5],
    mean: { value: 1.5, n: 3 },
  });
  const renamed = { label: ({ name }: Each) => `new ${name}` };
  await expect(ran(renamed, { rounds: 2 }, progress, [], runs)).rejects.toThrow(
    "A run has other cases: a in the place of new a.",
  );
});

test("the runner runs compared cases one after the other", async () => {
  const { order } = await ran({ group: ({ pair }) => pair });
  for (const round of order.match(/.{4}/g)!) expect(round).toMatch(/^([ab]{2}[cd]{2}|[cd]{2}[ab]{2})$/);
});

test("the runner closes what the run of a case started when that run ends, also after an error", async () => {
  const events: string[] = [];
  const run = async ({ name }: Each, { defer }: Context) => {
    for (const at of [1, 2]) defer(() => events.push(`${name} closes ${at}`));
    events.push(`${name} runs`);
    if (name === "c") throw new Error("broken");
    return { ms: 1 };
  };
  const cases = ({ defer }: Context) => {
    defer(() => events.push("over"));
    return CASES;
  };
  await expect(ran({ run, cases })).rejects.toThrow("broken");
  const ranCases = events.filter((event) => event.endsWith("runs")).map(([name]) => name);
  expect(events).toEqual([
    ...ranCases.flatMap((name) => [`${name} runs`, `${name} closes 2`, `${name} closes 1`]),
    "over",
  ]);
});

test("the runner runs as many cases at once as there are lanes", async () => {
  let [running, most] = [0, 0];
  const run = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    return { ms: 1 };
  };
  await ran({ lanes: 3, run });
  expect(most).toBe(3);
});

test("with lanes, rounds begin one after another, and a sample belongs to its round whichever ends first", async () => {
  const rounds: number[] = [];
  const ends: (() => void)[] = [];
  const run = async ({ name }: Each, _context: Context, round: number) => {
    rounds.push(round);
    // The first run of the case a ends after its second.
    if (name === "a" && round === 0) await new Promise<void>((resolve) => ends.push(resolve));
    if (name === "a" && round === 1) ends[0]!();
    return { ms: round + 1 };
  };
  const { data } = await ran({ lanes: 2, run });
  expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
  expect(data[0].ms.values).toEqual([1, 2, 3, 4, 5, 6]);
});

test("the runner skips a client that the scenario cannot measure, and names it", async () => {
  const used: string[] = [];
  const cases = ({ clients }: Context) => {
    used.push(...clients.map(({ name }) => name));
    return CASES;
  };
  const clients = (["http", "tcp"] as const).map((protocol) => ({
    name: protocol,
    label: protocol,
    protocol,
  }));
  const { outcome } = await ran({ cases, protocol: "http" }, {}, progress, clients as BenchClient[]);
  expect(used).toEqual(["http"]);
  expect(outcome.notes).toEqual([
    "Skipped: tcp: the scenario measures connections to the gateway, not to Redis.",
  ]);
});

test("checks of fewer than five rounds are undecided, counted ones too", async () => {
  const checks = [exactly("no call fails", true, "0 of 9"), exactly("it holds", false, "1 of 9")];
  const verdicts = async (rounds: number) => {
    const { outcome } = await ran({ report: () => ({ ...report, checks }) }, { rounds });
    return outcome.checks.map(({ verdict }) => verdict);
  };
  expect(await verdicts(4)).toEqual(["undecided", "undecided"]);
  expect(await verdicts(5)).toEqual(["yes", "no"]);
});

test("a quick run has no checks, and the runner says so", async () => {
  const checks = [{ expectation: "it holds", verdict: "yes", actual: "1" } as const];
  const own = { report: () => ({ ...report, checks }) };
  expect((await ran(own)).outcome).toMatchObject({ checks, summary: "1 yes, 0 no, 0 undecided." });
  expect((await ran(own, { quick: true })).outcome).toMatchObject({
    checks: [],
    summary: "A quick run has too few repetitions for verdicts.",
  });
});
