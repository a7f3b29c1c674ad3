import { existsSync } from "node:fs";
import type { CommandLine, Run } from "../command-line.js";
import { COLD_SHARE } from "../prices.js";
import type { Result } from "../result.js";
import { resultsIn } from "../result-file.js";
import type { Scenario } from "../scenario.js";
import { UsageError } from "../usage.js";
import { advise } from "./advice.js";
import { type Evidence, estimate, type FunctionEstimate, NEEDED } from "./function-estimate.js";

/** The clients that advice compares: the first that was measured, of each protocol. */
const HTTP = ["warmline", "upstash", "agent"];
const TCP = ["ioredis", "node-redis"];

/** The scenarios whose numbers advice goes by. */
const USED: readonly string[] = [...NEEDED, "zombie", "idle"];

type AdviseCommand = Extract<CommandLine, { action: "advise" }>;

/**
 * Recommends a setup from a file of results, from earlier results, or from new measurements.
 * @param cached the file where the last result of a scenario lies
 * @param perform runs a scenario and returns its result
 * @returns the text to print
 */
export async function runAdvise(
  command: AdviseCommand,
  scenarios: readonly Scenario[],
  cached: (scenario: string) => string,
  perform: (run: Run) => Promise<Result>,
): Promise<string> {
  const { question } = command;
  const evidence = new Map<string, Result>();
  if (command.from !== undefined) {
    for (const result of resultsIn(command.from)) evidence.set(result.scenario, result);
    const lacking = NEEDED.filter((name) => !evidence.has(name));
    if (lacking.length > 0) {
      throw new UsageError(
        `${command.from} has no results of ${lacking.join(", ")}. Create it with \`npm run bench -- all --json FILE\`.`,
      );
    }
  } else if (!command.measure) {
    for (const name of USED) {
      if (existsSync(cached(name))) for (const result of resultsIn(cached(name))) evidence.set(name, result);
    }
  }
  for (const name of NEEDED) {
    if (evidence.has(name)) continue;
    const scenario = scenarios.find((each) => each.name === name)!;
    evidence.set(name, await perform(measurement(command.runOf(scenario))));
  }
  const http = firstOf(HTTP, evidence, question);
  if (!http)
    throw new UsageError(
      "The results must have warmline, upstash or agent in each of distance, memory and sequential.",
    );
  const tcp = firstOf(TCP, evidence, question);
  const { memoryMb, ops, rttMs, tls, concurrency } = question;
  const lines = [
    `A function of ${memoryMb} MB that runs ${ops} command${ops === 1 ? "" : "s"} per invocation, ${rttMs} ms${tls ? " and TLS" : ""} away from Redis, with up to ${concurrency} concurrent instance${concurrency === 1 ? "" : "s"}:`,
    "",
    ...advise(question, http, tcp).flatMap(({ question, answer: response, reason }) => [
      `${question}  ${response}`,
      `    ${reason}`,
    ]),
    "",
    `An invocation counts with ${COLD_SHARE * 100}% of a start, and with a write after a freeze. Dollars are those of AWS Lambda. In brackets: 95% intervals.`,
    ...[...new Set([...http.beyond, ...(tcp?.beyond ?? [])])].map((each) => `Extrapolated: ${each}.`),
    ...USED.filter((name) => !evidence.has(name)).map(
      (name) => `Not weighed: ${name}, which has no results; \`npm run bench -- ${name}\` measures it.`,
    ),
    `Sources: ${[...evidence]
      .filter(([name]) => USED.includes(name))
      .map(
        ([name, { startedAt, machine, settings, load }]) =>
          `${name} (${settings.quick ? "quick, " : ""}${load.warning === undefined ? "" : "busy machine, "}${startedAt.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node.slice(1)})`,
      )
      .join(", ")}.`,
    ...([...evidence.values()].some(({ settings }) => settings.quick)
      ? ["Some sources are quick runs: repeat them without --quick before you decide."]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

function firstOf(
  names: readonly string[],
  evidence: Evidence,
  question: AdviseCommand["question"],
): FunctionEstimate | undefined {
  for (const name of names) {
    const found = estimate(evidence, question, name);
    if (found) return found;
  }
  return undefined;
}

/** Returns a quick run of the function in question, and of one with a whole processor, for when there are no earlier results. */
function measurement(run: Run): Run {
  const { settings } = run;
  const clients = run.clients.filter(({ name }) => name === HTTP[0] || name === TCP[0]);
  const sizes = settings.sizes && [...new Set([...settings.sizes, 1_769])];
  return { ...run, clients, settings: { ...settings, quick: true, rounds: 1, invocations: 12, sizes } };
}
