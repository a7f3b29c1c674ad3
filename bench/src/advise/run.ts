import { existsSync } from "node:fs";
import { listed } from "../results/format.js";
import { COLD_SHARE, PRICES } from "../results/prices.js";
import type { Result } from "../results/result.js";
import { resultsIn } from "../results/result-file.js";
import type { CommandLine, Run } from "../runner/command-line.js";
import type { Scenario } from "../scenario.js";
import { UsageError } from "../util/usage.js";
import { advise, RULE } from "./advice.js";
import { estimate, type FunctionEstimate, NEEDED } from "./function-estimate.js";

/** The clients that advice compares: the first that was measured, of each protocol. */
const HTTP = ["warmline", "upstash", "agent"];
const TCP = ["ioredis", "node-redis"];

/** The scenarios whose numbers advice goes by. */
const USED: readonly string[] = [...NEEDED, "zombie", "idle", "bytes", "cost"];

/**
 * Recommends a setup from a file of results, from earlier results, or from new measurements.
 * @param cached the file where the last result of a scenario lies
 * @param perform runs a scenario and returns its result
 * @returns the text to print
 */
export async function runAdvise(
  command: Extract<CommandLine, { action: "advise" }>,
  scenarios: readonly Scenario[],
  cached: (scenario: string) => string,
  perform: (run: Run) => Promise<Result>,
): Promise<string> {
  const { question } = command;
  const evidence = new Map<string, Result>();
  if (command.from !== undefined) {
    for (const result of resultsIn(command.from))
      if (USED.includes(result.scenario)) evidence.set(result.scenario, result);
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
  const [httpName, tcpName] = [HTTP, TCP].map((names) =>
    names.find((name) => estimate(evidence, question, name) !== undefined),
  );
  if (httpName === undefined)
    throw new UsageError(
      "The results must have warmline, upstash or agent in each of distance, memory and sequential.",
    );
  const compared = [httpName, ...(tcpName === undefined ? [] : [tcpName])];
  // A result that lacks one of the compared clients would count against the other one.
  const lacking = (name: string) =>
    compared.filter((client) => !clientsIn(evidence.get(name)).includes(client));
  const fair = new Map([...evidence].filter(([name]) => lacking(name).length === 0));
  const [http, tcp] = compared.map((client) => estimate(fair, question, client)) as [
    FunctionEstimate,
    FunctionEstimate | undefined,
  ];
  const unweighed = USED.filter((name) => !fair.has(name)).map((name) =>
    evidence.has(name)
      ? `${name}, which has no results of ${listed(lacking(name))}`
      : `${name}, which has no results; \`npm run bench -- ${name}\` measures it`,
  );
  const { memoryMb, ops, rttMs, tls, concurrency, upstash, perMonth } = question;
  const lines = [
    `A function of ${memoryMb} MB that runs ${ops} command${ops === 1 ? "" : "s"} per invocation, ${rttMs} ms${tls ? " and TLS" : ""} away from Redis, with up to ${concurrency} concurrent instance${concurrency === 1 ? "" : "s"}:`,
    "",
    ...advise(question, http, tcp).flatMap(({ question, answer: response, reason }) => [
      `${question}  ${response}`,
      `    ${reason}`,
    ]),
    "",
    RULE,
    `An invocation counts with ${COLD_SHARE * 100}% of a start, and with a write after a freeze. In brackets: 95% intervals.`,
    upstash
      ? `Dollars are those of AWS Lambda (${PRICES.lambda.readIn}), of Upstash's commands and bandwidth (${PRICES.upstash.readIn}) and of data transfer to the internet (${PRICES.egress.readIn}).`
      : `Dollars are those of AWS Lambda (${PRICES.lambda.readIn})${perMonth === undefined ? "" : ` and of the gateway (${PRICES.gateway.readIn})`}. Redis is in the function's network: its price is the same for TCP and HTTP, and its traffic is free. --upstash prices a database of Upstash.`,
    ...[...new Set([...http.beyond, ...(tcp?.beyond ?? [])])].map((each) => `Extrapolated: ${each}.`),
    ...unweighed.map((each) => `Not weighed: ${each}.`),
    ...(upstash || perMonth !== undefined || !tcp
      ? []
      : ["Not weighed: the gateway's price; --per-month N, your invocations per month, weighs it."]),
    `Sources: ${[...fair]
      .map(
        ([name, { startedAt, machine, settings, load }]) =>
          `${name} (${settings.quick ? "quick, " : ""}${load.warning === undefined ? "" : "busy machine, "}${startedAt.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node.slice(1)})`,
      )
      .join(", ")}.`,
    ...([...fair.values()].some(({ settings }) => settings.quick)
      ? ["Some sources are quick runs, so nothing is decided: repeat them without --quick."]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the clients that a result has rows of. */
const clientsIn = (result: Result | undefined): readonly (string | undefined)[] =>
  ((result?.data ?? []) as readonly { readonly client?: string }[]).map(({ client }) => client);

/** Returns a quick run of the function in question, and of one with a whole processor, for when there are no earlier results. */
function measurement(run: Run): Run {
  const { settings } = run;
  const clients = run.clients.filter(({ name }) => name === HTTP[0] || name === TCP[0]);
  const sizes = settings.sizes && [...new Set([...settings.sizes, 1_769])];
  return { ...run, clients, settings: { ...settings, quick: true, rounds: 1, invocations: 12, sizes } };
}
