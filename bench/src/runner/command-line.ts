import { parseArgs } from "node:util";
import type { BenchClient } from "../client/bench-client.js";
import { assertMeasurable, chooseClients } from "../client/choose-clients.js";
import type { Scenario, Settings } from "../scenario.js";
import { UsageError } from "../util/usage.js";

export interface Run {
  readonly scenario: Scenario;
  readonly settings: Settings;
  readonly clients: readonly BenchClient[];
  readonly parts: readonly Run[];
  /** The command that repeats this run with the same seed. */
  readonly line: string;
}

/** The files to write. */
export interface Output {
  readonly json: string | undefined;
  readonly report: string | undefined;
}

export type CommandLine =
  | { readonly action: "help" }
  | { readonly action: "list" }
  | ({ readonly action: "run" } & Run & Output)
  | ({ readonly action: "all"; readonly runs: readonly Run[] } & Output)
  | ({ readonly action: "report"; readonly files: readonly string[] } & Output)
  | {
      readonly action: "publish";
      readonly runs: readonly Run[];
      readonly count: number;
      readonly seed: number;
    };

export const HELP = `npm start                             the scenario keepalive with its checks, but few repetitions. Takes the
                                      options of keepalive, and --full for the repetitions of npm run bench
npm run bench -- SCENARIO [options]
npm run bench -- all [options]        every scenario, one report
npm run bench -- report FILE...       a report of files that --json wrote. Of several for one scenario, the last one counts
npm run bench -- publish [SCENARIO...] [--runs N] [--seed N]
                                      the published results: runs all scenarios once, then all again, and so on
npm run bench -- --list

--quick            few repetitions and no verdicts: for a first look, not for numbers to quote
--only             the scenario itself, without its parts. To run a part alone, give its name as SCENARIO
--rtt MS           round-trip time to the gateway in ms; default 1, as within a data centre.
                   Scenarios that compare round-trip times take several: --rtt 0,2,20
--tls              use TLS, with a self-signed certificate
--clients A,B      measure these clients or groups of clients: standard, all, http, tcp, or candidates
                   (clients as shipped that an application would choose)
--invocations N    invocations per client, variant and round
--rounds N         rounds, each with its own instances. In faults and zombie: trials per client and case
--seconds N        duration of the load in s, for scenarios that run for a fixed time. In lambda: duration of the pause
--memory MB        the function's memory size; the scenarios memory and lambda take several: --memory 128,1769
--seed N           seed of the random order; printed with the result
--json FILE        write all measurements as JSON
--report FILE      write the HTML report; default bench/report/SCENARIO.html, with several scenarios bench/report/all.html

publish            writes bench/results, from a committed state. A scenario that was published from this commit is skipped, and an
                   interrupted publication continues. A run during which the host slows or is busy is void, and is repeated.
                   It takes no options but --runs and --seed
--runs N           runs of each scenario; default 5. The figures count each as one repetition
`;

/** The word that `npm start` passes in place of a scenario. */
const START = "start";
/** The default number of runs of a publication. With fewer, no check is decided. */
const PUBLISHED_RUNS = 5;

/** Returns a function that tells whether a scenario or one of its parts meets a condition. */
const inScenarioOrPart =
  (condition: (scenario: Scenario) => boolean) =>
  (scenario: Scenario): boolean =>
    [scenario, ...(scenario.parts ?? [])].some(condition);

/** For each option that only some scenarios take: whether a scenario takes it. */
const TAKEN_BY: Readonly<Record<string, (scenario: Scenario) => boolean>> = {
  invocations: inScenarioOrPart(({ defaults }) => defaults.invocations !== undefined),
  seconds: inScenarioOrPart(({ defaults }) => defaults.seconds !== undefined),
  memory: inScenarioOrPart(({ sizes }) => sizes === true),
  clients: inScenarioOrPart(({ clients }) => clients !== "none"),
  rtt: inScenarioOrPart(({ fixed }) => !fixed?.includes("rtt")),
  tls: inScenarioOrPart(({ fixed }) => !fixed?.includes("tls")),
};

/** Parses the command line. @throws UsageError with a one-line message */
export function parse(
  args: readonly string[],
  scenarios: readonly Scenario[],
  clients: readonly BenchClient[],
): CommandLine {
  const { values, positionals, tokens } = read(args);
  if (values.help) return { action: "help" };
  if (values.list) return { action: "list" };
  const [name, ...rest] = positionals;
  const output: Output = { json: values.json, report: values.report };
  const refuse = (options: readonly string[], problem: string) => {
    const option = options.find((each) => each in values);
    if (option !== undefined) throw new UsageError(`--${option} ${problem}`);
  };
  const allBut = (...allowed: string[]) => Object.keys(values).filter((each) => !allowed.includes(each));
  if (name === "report") {
    if (rest.length === 0) throw new UsageError("report needs at least one file that --json wrote.");
    refuse(allBut("json", "report"), "cannot be used with report, which measures nothing.");
    return { action: "report", files: rest, ...output };
  }
  if (name === undefined || (rest.length > 0 && name !== "publish"))
    throw new UsageError(
      "Expected one scenario, all, publish or report. --list shows the scenarios, --help the options.",
    );
  const isStart = name === START;
  if (name === "publish")
    refuse(allBut("runs", "seed"), "cannot be used with publish: results are published with the defaults.");
  else refuse(["runs"], `is an option of publish. It cannot be used with ${name}.`);
  if (isStart) refuse(["quick"], "cannot be used with npm start, which is quick without --full.");
  else refuse(["full"], "is an option of npm start. npm run bench measures in full unless --quick is given.");
  const { quick = false } = values;
  const isShort = quick || (isStart && !values.full);
  const seed = readNumber("seed", values.seed, 0) ?? Math.floor(Math.random() * 1e6);
  const rtts = readNumbers("rtt", values.rtt, 0, false);
  const sizes = readNumbers("memory", values.memory, 64);
  const overrides = {
    invocations: readNumber("invocations", values.invocations, 2),
    rounds: readNumber("rounds", values.rounds, 1),
    seconds: readNumber("seconds", values.seconds, 0.1, false),
  };
  const runOf = (scenario: Scenario): Run => {
    const chosen = (option: keyof typeof overrides) =>
      overrides[option] ?? scenario.defaults[option]?.[isShort ? 1 : 0] ?? 1;
    const settings: Settings = {
      ...{ quick, rttMs: rtts?.[0] ?? 1, rtts, tls: values.tls ?? false, seed, sizes },
      ...{ invocations: chosen("invocations"), rounds: chosen("rounds"), seconds: chosen("seconds") },
    };
    return {
      scenario,
      settings,
      clients: chooseClients(values.clients, scenario, clients),
      parts: isStart || values.only ? [] : (scenario.parts ?? []).map(runOf),
      line: repeatCommand(tokens, name, scenario, seed),
    };
  };
  const find = (word: string, among: readonly Scenario[]): Scenario => {
    const found = among.find((each) => each.name === word);
    if (found) return found;
    throw new UsageError(`Unknown scenario: ${word}. --list shows the scenarios.`);
  };
  if (name === "all") return { action: "all", runs: scenarios.map(runOf), ...output };
  if (name === "publish") {
    const chosen = rest.length === 0 ? scenarios : rest.map((word) => find(word, scenarios));
    const count = readNumber("runs", values.runs, 1) ?? PUBLISHED_RUNS;
    return { action: "publish", runs: chosen.map(runOf), count, seed };
  }
  const withParts = scenarios.flatMap((each) => [each, ...(each.parts ?? [])]);
  const scenario = find(isStart ? "keepalive" : name, withParts);
  for (const [option, isTaken] of Object.entries(TAKEN_BY)) {
    if (isTaken(scenario)) continue;
    const takers = scenarios.filter(isTaken).map((each) => each.name);
    refuse([option], `cannot be used with ${scenario.name}, only with ${takers.join(", ")} or all.`);
  }
  if (rtts && rtts.length > 1 && !inScenarioOrPart(({ distances }) => distances === true)(scenario))
    throw new UsageError(`--rtt must be one number for ${name}, which measures one round-trip time.`);
  assertMeasurable(values.clients, scenario, clients);
  return { action: "run", ...runOf(scenario), ...output };
}

/** Returns the value of an option as a number. @throws UsageError if it is not a number, or below `least` */
function readNumber(name: string, text: string | undefined, least: number, isWhole = true) {
  if (text === undefined) return undefined;
  const value = Number(text);
  const fits = text.trim() !== "" && Number.isFinite(value) && value >= least;
  if (fits && (!isWhole || Number.isInteger(value))) return value;
  throw new UsageError(`--${name} must be a ${isWhole ? "whole " : ""}number >= ${least}.`);
}

/** Returns the numbers of an option, which are separated by commas. @throws UsageError as {@link readNumber} does */
const readNumbers = (name: string, text: string | undefined, least: number, isWhole = true) =>
  text?.split(",").map((part) => readNumber(name, part, least, isWhole)!);

const optionsOf = <N extends string, T>(type: T, ...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, { type }])) as Record<N, { type: T }>;
const OPTIONS = {
  ...optionsOf("boolean" as const, "help", "list", "quick", "full", "tls", "only"),
  ...optionsOf("string" as const, "runs", "rtt", "clients", "invocations", "rounds", "seconds", "memory"),
  ...optionsOf("string" as const, "seed", "json", "report"),
};

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, tokens: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0]);
  }
}

/** Returns the command that runs a scenario again: with the same seed, without output files and options that it does not use. */
function repeatCommand(
  tokens: ReturnType<typeof read>["tokens"],
  typed: string,
  scenario: Scenario,
  seed: number,
): string {
  if (typed === "publish") return `npm run bench -- publish ${scenario.name} --seed ${seed}`;
  const isUsed = (name: string) => TAKEN_BY[name]?.(scenario) ?? !["json", "report", "seed"].includes(name);
  const kept = tokens.flatMap((token) =>
    token.kind !== "option" || !isUsed(token.name)
      ? []
      : token.value === undefined
        ? [token.rawName]
        : [token.rawName, token.value],
  );
  const command = typed === START ? "npm start --" : `npm run bench -- ${scenario.name}`;
  return [command, ...kept, "--seed", seed].join(" ");
}
