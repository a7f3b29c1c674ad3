import { describe, expect, test } from "vitest";
import type { BenchClient } from "../../../bench/src/client/bench-client.js";
import { parse } from "../../../bench/src/runner/command-line.js";
import type { Scenario } from "../../../bench/src/scenario.js";
import { UsageError } from "../../../bench/src/util/usage.js";

describe("the command line", () => {
  const defaults = { rounds: [10, 5], invocations: [100, 20] } as const;
  const scenario = { name: "keepalive", defaults } as Partial<Scenario> as Scenario;
  const standard = [
    { name: "warmline", standard: true, protocol: "http" },
    { name: "agent", standard: true, protocol: "http" },
  ] as BenchClient[];
  const tuned = { name: "undici-tuned", standard: false, protocol: "http", tunes: "undici" } as BenchClient;
  const tcp = { name: "ioredis", standard: false, protocol: "tcp" } as BenchClient;
  const undici = { name: "undici", standard: false, protocol: "http" } as BenchClient;
  const clients = [...standard, undici, tuned, tcp];
  const shipped = { name: "shipped", clients: "candidates", defaults } as Partial<Scenario> as Scenario;
  const sweep = { name: "sweep", clients: "all", distances: true, defaults } as Partial<Scenario> as Scenario;
  const none = { name: "none", clients: "none", defaults } as Partial<Scenario> as Scenario;
  const web = { name: "web", clients: "all", protocol: "http", defaults } as Partial<Scenario> as Scenario;
  const read = (...args: string[]) => parse(args, [scenario, sweep, none, shipped, web], clients);

  test("the command line has defaults", () => {
    expect(read("keepalive", "--seed", "5")).toMatchObject({
      action: "run",
      settings: { quick: false, rttMs: 1, tls: false, seed: 5, rounds: 10, invocations: 100 },
      clients: standard,
      line: "npm run bench -- keepalive --seed 5",
    });
  });

  test("npm start is the scenario keepalive with few repetitions and verdicts, and in full with --full", () => {
    expect(read("start", "--clients", "agent", "--seed", "5", "--json", "a.json")).toMatchObject({
      action: "run",
      scenario: { name: "keepalive" },
      settings: { quick: false, rounds: defaults.rounds[1], invocations: defaults.invocations[1] },
      clients: [{ name: "agent" }],
      line: "npm start -- --clients agent --seed 5",
    });
    expect(read("start", "--full")).toMatchObject({
      settings: { quick: false, rounds: defaults.rounds[0], invocations: defaults.invocations[0] },
      line: expect.stringMatching(/^npm start -- --full --seed \d+$/),
    });
    expect(() => read("start", "--quick")).toThrow("--quick cannot be used with npm start");
    expect(() => read("keepalive", "--full")).toThrow("--full is an option of npm start");
  });

  test("the command line reads options, and the command that repeats the run has the seed and no files", () => {
    const options = "--rtt 0.5 --json a.json --report=b.html --tls --clients agent".split(" ");
    const command = read("keepalive", ...options);
    expect(command).toMatchObject({
      settings: { rttMs: 0.5, tls: true },
      clients: [{ name: "agent" }],
      json: "a.json",
      report: "b.html",
    });
    expect((command as { line: string }).line).toMatch(
      /^npm run bench -- keepalive --rtt 0.5 --tls --clients agent --seed \d+$/,
    );
  });

  test("report takes files, and refuses the options of a measurement", () => {
    expect(read("report", "a.json", "b.json", "--report", "c.html")).toEqual({
      action: "report",
      files: ["a.json", "b.json"],
      json: undefined,
      report: "c.html",
    });
    expect(() => read("report")).toThrow("report needs at least one file");
    expect(() => read("report", "a.json", "--quick")).toThrow("--quick cannot be used with report");
  });

  test("publish takes scenarios, five runs of each by default, and no options of a measurement", () => {
    const names = (...args: string[]) => {
      const { runs, ...others } = read("publish", ...args) as Extract<
        ReturnType<typeof read>,
        { action: "publish" }
      >;
      return { ...others, names: runs.map((run) => run.scenario.name) };
    };
    const every = [scenario, sweep, none, shipped, web].map(({ name }) => name);
    expect(names("--seed", "4")).toEqual({ action: "publish", count: 5, seed: 4, names: every });
    expect(names("web", "keepalive", "--runs", "2")).toMatchObject({ count: 2, names: ["web", "keepalive"] });
    expect(() => read("publish", "nonsense")).toThrow("Unknown scenario: nonsense");
    expect(() => read("publish", "--quick")).toThrow("--quick cannot be used with publish");
    expect(() => read("all", "--runs=3")).toThrow(
      "--runs is an option of publish. It cannot be used with all",
    );
  });

  test("a value that is also the name of a scenario stays in the command that repeats the run", () => {
    expect(read("all", "--clients", "all", "--seed", "3")).toMatchObject({
      runs: expect.arrayContaining([
        expect.objectContaining({ line: "npm run bench -- keepalive --clients all --seed 3" }),
      ]),
    });
  });

  test.each([["--invocations=5"], ["--seconds=5"], ["--memory=128"], ["--clients=agent"]])(
    "%s is refused by a scenario that does not use it",
    (option) => {
      const rounds = [2, 1] as const;
      const plain = { name: "plain", clients: "none", defaults: { rounds } } as Partial<Scenario> as Scenario;
      const every = { rounds, invocations: rounds, seconds: rounds };
      const whole: Scenario = { ...plain, name: "whole", clients: "all", defaults: every, sizes: true };
      const of = (name: string) => parse([name, option], [plain, whole], clients);
      expect(() => of("plain")).toThrow(
        `${option.split("=")[0]} cannot be used with plain, only with whole or all.`,
      );
      expect(of("whole")).toMatchObject({ action: "run" });
      expect(of("all")).toMatchObject({ action: "all" });
    },
  );

  test.each([
    ["--rtt=5", "rtt"],
    ["--tls", "tls"],
  ] as const)("%s is refused by a scenario that sets it itself", (option, name) => {
    const rounds = [2, 1] as const;
    const open = { name: "open", defaults: { rounds } } as Partial<Scenario> as Scenario;
    const closed: Scenario = { ...open, name: "closed", fixed: [name] };
    const of = (word: string) => parse([word, option], [open, closed], standard);
    expect(() => of("closed")).toThrow(`--${name} cannot be used with closed, only with open or all.`);
    expect(of("open")).toMatchObject({ action: "run" });
    // With all, the command that repeats one scenario has only the options that this one takes.
    const words = ["all", ...option.split("="), "--seed", "3"];
    expect(parse(words, [open, closed], standard)).toMatchObject({
      action: "all",
      runs: [
        { line: `npm run bench -- open ${option.replace("=", " ")} --seed 3` },
        { line: "npm run bench -- closed --seed 3" },
      ],
    });
  });

  test("the command line takes clients and round-trip times from the scenario unless they are given", () => {
    expect(read("keepalive", "--clients", "all")).toMatchObject({ clients });
    expect(read("sweep")).toMatchObject({ clients, settings: { rtts: undefined } });
    expect(read("shipped")).toMatchObject({ clients: clients.filter((each) => each !== tuned) });
    expect(read("none")).toMatchObject({ clients: [] });
    expect(read("web")).toMatchObject({ clients: clients.filter((each) => each !== tcp) });
    expect(read("web", "--clients", "all")).toMatchObject({
      clients: clients.filter((each) => each !== tcp),
    });
    expect(read("web", "--clients", "candidates")).toMatchObject({ clients: [...standard, undici] });
    // With all scenarios, the runner skips it where it cannot be measured, with a note.
    const every = read("all", "--clients", "ioredis") as Extract<ReturnType<typeof read>, { action: "all" }>;
    expect(every.runs.length).toBeGreaterThan(1);
    for (const { scenario, clients } of every.runs)
      expect(clients).toEqual(scenario.name === "none" ? [] : [tcp]);
    // A new client joins the groups by its own properties.
    expect(read("sweep", "--clients", "tcp")).toMatchObject({ clients: [tcp] });
    expect(read("sweep", "--clients", "warmline,tcp")).toMatchObject({ clients: [standard[0], tcp] });
    expect(read("keepalive", "--clients", "http")).toMatchObject({
      clients: clients.filter((each) => each !== tcp),
    });
    expect(read("sweep", "--rtt", "0,20", "--clients", "undici")).toMatchObject({
      clients: [{ name: "undici" }],
      settings: { rtts: [0, 20], rttMs: 0 },
    });
  });

  test.each([
    [["nonsense"], "Unknown scenario: nonsense"],
    [[], "Expected one scenario"],
    [["keepalive", "--rtt", "fast"], "--rtt must be a number >= 0"],
    [["keepalive", "--rounds", "1.5"], "--rounds must be a whole number >= 1"],
    [
      ["keepalive", "--clients", "nobody"],
      "Unknown client in --clients: nobody. Known clients: warmline, agent, undici, undici-tuned, ioredis. Groups: standard, candidates, all, http, tcp.",
    ],
    [["keepalive", "--rtt", "1,2"], "--rtt must be one number for keepalive"],
    [["keepalive", "--wrong"], "--wrong"],
    [
      ["web", "--clients", "agent,ioredis"],
      "--clients must name clients over HTTP for web: it measures connections to the gateway, and ioredis connects to Redis.",
    ],
    [["web", "--clients", "all,tcp"], "and ioredis connects to Redis."],
    [["keepalive", "--rtt", "--tls"], "argument is ambiguous"],
  ])("the command line refuses %j with a one-line message", (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
    expect(() => read(...args)).not.toThrow(/\n/);
  });
});
