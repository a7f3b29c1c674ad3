import { accessSync, constants } from "node:fs";
import { parseArgs } from "node:util";
import { parseQuestion, type Question } from "./advise/question.js";
import type { BenchClient } from "./bench-client.js";
import type { Scenario, Settings } from "./scenario.js";
import { number, numbers, UsageError } from "./usage.js";

export { UsageError } from "./usage.js";

/** A scenario with its settings. */
export interface Run {
  readonly scenario: Scenario;
  readonly settings: Omit<Settings, "progress">;
  /** The command that runs this again, seed included. */
  readonly line: string;
}

/** Where results are written. */
export interface Output {
  readonly json: string | undefined;
  readonly report: string | undefined;
}

/** The parsed command line. */
export type CommandLine =
  | { readonly action: "help" }
  | { readonly action: "list" }
  | ({ readonly action: "run" } & Run & Output)
  | ({ readonly action: "all"; readonly runs: readonly Run[] } & Output)
  | {
      readonly action: "advise";
      readonly question: Question;
      /** A file of results, where one is given. */
      readonly from: string | undefined;
      /** Whether to measure now rather than to take what was measured before. */
      readonly measure: boolean;
      /** Applies these settings to a scenario that has to run first. */
      runOf(scenario: Scenario): Run;
    };

export const HELP = `npm run bench -- SCENARIO [options]
npm run bench -- all [options]        every scenario, one report
npm run bench -- advise --memory MB --ops N --rtt MS --concurrency N [--from FILE | --measure]
npm run bench -- --list

--quick            fewer invocations: a look, not figures
--rtt MS           round-trip time of the path to the gateway; default 1, as within a data centre.
                   Scenarios that compare distances take several: --rtt 0,2,20
--tls              TLS with a throw-away certificate
--engine ENGINE    the gateway's engine: embedded (default), auto, or the path of a redis-server
--clients A,B      only these clients, or all; not where a scenario has clients of its own
--invocations N    invocations per client and scenario; of faults and zombie: trials per client and case
--rounds N         instances that they are spread over
--seconds N        how long load is driven, where a scenario drives it by time
--speedup N        how many times faster than real the timeline of zombie and fleet passes
--memory MB        the function's size; the scenario memory takes several: --memory 128,1769
--node PATH        the Node that cold, throughput and targets measure under; default: this one, and Node 24 if it
                   is installed in bench/nodes/24
--seed N           decides the order; printed with the result
--json FILE        write everything that was measured
--report FILE      write the report there; default bench/report/SCENARIO.html

advise             what to do in a function that runs --ops commands per invocation, from results that
                   earlier runs left in bench/report, from a --json FILE, or measured now
`;

/**
 * Reads the command line.
 * @throws UsageError with one line that says what is wrong
 */
export function parse(
  args: readonly string[],
  scenarios: readonly Scenario[],
  clients: readonly BenchClient[],
): CommandLine {
  const { values, positionals } = read(args);
  if (values.help) return { action: "help" };
  if (values.list) return { action: "list" };
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageError("Name one scenario, all or advise; --list shows them, --help the options.");
  const seed = number("seed", values.seed, 0) ?? Math.floor(Math.random() * 1e6);
  const rtts = numbers("rtt", values.rtt, 0, false);
  const sizes = numbers("memory", values.memory, 64);
  const runOf = (scenario: Scenario): Run => ({
    scenario,
    settings: {
      quick: values.quick ?? false,
      rttMs: rtts?.[0] ?? 1,
      rtts,
      tls: values.tls ?? false,
      seed,
      engine: engineOf(values.engine),
      invocations: number("invocations", values.invocations, 2),
      rounds: number("rounds", values.rounds, 1),
      seconds: number("seconds", values.seconds, 0.1, false),
      speedup: number("speedup", values.speedup, 1, false),
      sizes,
      node: values.node,
      clients: chosen(values.clients, scenario, clients),
    },
    line: again(args, name, scenario.name, seed),
  });
  const output: Output = { json: values.json, report: values.report };
  if (name === "all") return { action: "all", runs: scenarios.map(runOf), ...output };
  if (name === "advise") {
    const question = parseQuestion(values, rtts, sizes);
    return { action: "advise", question, from: values.from, measure: values.measure ?? false, runOf };
  }
  const scenario = scenarios.find((each) => each.name === name);
  if (!scenario) throw new UsageError(`There is no scenario ${name}; --list shows those there are.`);
  if (rtts && rtts.length > 1 && !scenario.distances)
    throw new UsageError(`${name} measures one round-trip time: give --rtt one number.`);
  if (values.clients !== undefined && scenario.clients?.length === 0)
    throw new UsageError(`${name} has clients of its own to compare: leave --clients out.`);
  return { action: "run", ...runOf(scenario), ...output };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean" },
        list: { type: "boolean" },
        quick: { type: "boolean" },
        tls: { type: "boolean" },
        measure: { type: "boolean" },
        rtt: { type: "string" },
        engine: { type: "string" },
        clients: { type: "string" },
        invocations: { type: "string" },
        rounds: { type: "string" },
        seconds: { type: "string" },
        speedup: { type: "string" },
        memory: { type: "string" },
        ops: { type: "string" },
        concurrency: { type: "string" },
        "max-connections": { type: "string" },
        from: { type: "string" },
        node: { type: "string" },
        seed: { type: "string" },
        json: { type: "string" },
        report: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0]);
  }
}

/** Which engine; a program is looked for now, rather than when the gateway starts it. */
function engineOf(engine = "embedded"): string {
  if (engine === "embedded" || engine === "auto") return engine;
  try {
    accessSync(engine, constants.X_OK);
  } catch {
    throw new UsageError(`--engine must be embedded, auto or a program: ${engine} can't be run.`);
  }
  return engine;
}

function chosen(
  text: string | undefined,
  scenario: Scenario,
  clients: readonly BenchClient[],
): readonly BenchClient[] {
  const asked = text?.split(",") ?? scenario.clients;
  if (asked === undefined) return clients.filter(({ standard }) => standard);
  if (asked === "all" || text === "all") return clients;
  const names: readonly string[] = asked;
  const unknown = names.find((name) => !clients.some((client) => client.name === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no client ${unknown}; there are ${clients.map(({ name }) => name).join(", ")}.`,
    );
  }
  return clients.filter(({ name }) => names.includes(name));
}

/** Returns the command line that repeats the run: with its seed, without its output files. */
function again(args: readonly string[], typed: string, scenario: string, seed: number): string {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [flag, value] = args[at]!.split("=", 2);
    if (flag === "--json" || flag === "--report" || flag === "--seed") at += value === undefined ? 1 : 0;
    else kept.push(args[at] === typed ? scenario : args[at]!);
  }
  return `npm run bench -- ${[...kept, "--seed", seed].join(" ")}`;
}
