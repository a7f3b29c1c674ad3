import { parseArgs } from "node:util";
import type { Peer } from "./peer.js";
import type { Scenario, Settings } from "./scenario.js";

/** What the command line asks for. */
export type CommandLine =
  | { readonly action: "help" }
  | { readonly action: "list" }
  | {
      readonly action: "run";
      readonly scenario: Scenario;
      readonly settings: Omit<Settings, "progress">;
      readonly json: string | undefined;
      readonly report: string | undefined;
      /** The command that runs this again, seed included. */
      readonly line: string;
    };

/** The command line cannot be understood. */
export class UsageError extends Error {}

export const HELP = `npm run bench -- SCENARIO [options]
npm run bench -- --list

--quick            fewer invocations: a look, not figures
--rtt MS           round-trip time of the path to the gateway; default 1, as within a data centre.
                   Scenarios that compare distances take several: --rtt 0,2,20
--tls              TLS with a throw-away certificate
--engine ENGINE    the gateway's engine: embedded (default), auto, or the path of a redis-server
--clients A,B      only these clients, or all
--invocations N    invocations per client and scenario; of faults: trials per client and fault
--rounds N         instances that they are spread over
--seconds N        how long load is driven, where a scenario drives it by time
--speedup N        how many times faster than real the timeline of zombie and fleet passes
--seed N           decides the order; printed with the result
--json FILE        write everything that was measured
--report FILE      write the report there; default bench/report/SCENARIO.html
`;

/**
 * Reads the command line.
 * @throws UsageError with one line that says what is wrong
 */
export function parse(
  args: readonly string[],
  scenarios: readonly Scenario[],
  peers: readonly Peer[],
): CommandLine {
  const { values, positionals } = read(args);
  if (values.help) return { action: "help" };
  if (values.list) return { action: "list" };
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageError("Name one scenario; --list shows them, --help the options.");
  const scenario = scenarios.find((each) => each.name === name);
  if (!scenario) throw new UsageError(`There is no scenario ${name}; --list shows those there are.`);
  const seed = number("seed", values.seed, 0) ?? Math.floor(Math.random() * 1e6);
  const rtts = values.rtt?.split(",").map((text) => number("rtt", text, 0, false)!);
  if (rtts && rtts.length > 1 && !scenario.distances)
    throw new UsageError(`${name} measures one round-trip time: give --rtt one number.`);
  return {
    action: "run",
    scenario,
    settings: {
      quick: values.quick ?? false,
      rttMs: rtts?.[0] ?? 1,
      rtts,
      tls: values.tls ?? false,
      seed,
      engine: values.engine ?? "embedded",
      invocations: number("invocations", values.invocations, 2),
      rounds: number("rounds", values.rounds, 1),
      seconds: number("seconds", values.seconds, 0.1, false),
      speedup: number("speedup", values.speedup, 1, false),
      peers: chosen(values.clients, scenario, peers),
    },
    json: values.json,
    report: values.report,
    line: again(args, seed),
  };
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
        rtt: { type: "string" },
        engine: { type: "string" },
        clients: { type: "string" },
        invocations: { type: "string" },
        rounds: { type: "string" },
        seconds: { type: "string" },
        speedup: { type: "string" },
        seed: { type: "string" },
        json: { type: "string" },
        report: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0]);
  }
}

function number(name: string, text: string | undefined, least: number, whole = true): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least || (whole && !Number.isInteger(value))) {
    throw new UsageError(`--${name} must be a ${whole ? "whole " : ""}number of at least ${least}.`);
  }
  return value;
}

function chosen(text: string | undefined, scenario: Scenario, peers: readonly Peer[]): readonly Peer[] {
  const asked = text?.split(",") ?? scenario.clients;
  if (asked === undefined) return peers.filter(({ standard }) => standard);
  if (asked === "all" || text === "all") return peers;
  const names: readonly string[] = asked;
  const unknown = names.find((name) => !peers.some((peer) => peer.name === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no client ${unknown}; there are ${peers.map(({ name }) => name).join(", ")}.`,
    );
  }
  return peers.filter(({ name }) => names.includes(name));
}

/** The same command with its seed, and without where its output went. */
function again(args: readonly string[], seed: number): string {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [flag, value] = args[at]!.split("=", 2);
    if (flag === "--json" || flag === "--report" || flag === "--seed") at += value === undefined ? 1 : 0;
    else kept.push(args[at]!);
  }
  return `npm run bench -- ${[...kept, "--seed", seed].join(" ")}`;
}
