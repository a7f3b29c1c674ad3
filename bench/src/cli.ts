import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { clients, scenarios } from "./registry.js";
import { readCommit } from "./results/commit.js";
import type { Collection, Result } from "./results/result.js";
import { resultsIn } from "./results/result-file.js";
import { resultText } from "./results/result-text.js";
import { type CommandLine, HELP, type Output, parse } from "./runner/command-line.js";
import { perform } from "./runner/perform.js";
import { publish as publishRuns } from "./runner/publish.js";
import { runAll } from "./runner/run-all.js";
import { performInProcess } from "./runner/scenario-process.js";
import { errorText, UsageError } from "./util/usage.js";

/** The folder in which the command was typed; npm runs it in the package's folder. */
const HERE = process.env.INIT_CWD ?? process.cwd();
const REPORTS = fileURLToPath(new URL("../report/", import.meta.url));
const RESULTS = fileURLToPath(new URL("../results/", import.meta.url));

type Command<A extends CommandLine["action"]> = Extract<CommandLine, { action: A }>;

const print = (text: string) => void process.stdout.write(text);

async function main(): Promise<void> {
  const allScenarios = await scenarios();
  const command = parse(process.argv.slice(2), allScenarios, await clients());
  switch (command.action) {
    case "help":
      return print(HELP);
    case "list":
      for (const { name, question, parts = [] } of allScenarios) {
        print(`${name.padEnd(16)}${question}\n`);
        for (const part of parts) print(`  ${part.name.padEnd(14)}${part.question}\n`);
      }
      return;
    case "report": {
      const files = command.files.flatMap((file) => resultsIn(resolve(HERE, file)));
      const lastByScenario = new Map(files.map((result) => [result.scenario, result]));
      const results = allScenarios.flatMap(({ name }) => lastByScenario.get(name) ?? []);
      return writePages(results.length === 1 ? results[0]! : { format: 4, results, skipped: [] }, command);
    }
    case "run":
      return runOne(command);
    case "all":
      return runScenarios(command);
    case "publish":
      return publish(command);
  }
}

/** Runs a scenario in this process. It prints what it measures, how long it takes and where its report will be. */
async function runOne(command: Command<"run">): Promise<void> {
  const { scenario, settings, clients } = command;
  assertWritable(command);
  const seconds = scenario.totalS?.({ settings, clients });
  const time = seconds === undefined ? "" : `, about ${seconds} s`;
  const file = pathText(reportFile(scenario.name, command));
  print(`Measuring: ${scenario.title}${time}. Report: ${file}\n${scenario.question}\n\n`);
  const { result } = await perform(command);
  print(resultText(result));
  await writePages(result, command);
}

/** Runs every scenario, each in a process of its own, and writes the results so far after each. */
async function runScenarios({ runs, ...output }: Command<"all">): Promise<void> {
  assertWritable(output);
  const args = [...process.argv.slice(2), "--seed", String(runs[0]!.settings.seed)];
  const { failed, ...collection } = await runAll(
    runs,
    async ({ scenario }) => (await performInProcess({ scenario: scenario.name, args })).result,
    (result, all) => {
      print(`${result.title}: ${result.question}\n\n${resultText(result)}`);
      writeJson(output, all);
    },
    (scenario, message) => process.stderr.write(`${scenario}: ${message}\n`),
  );
  if (failed) process.exitCode = 1;
  for (const { scenario, reason } of collection.skipped) print(`Skipped: ${scenario}: ${reason}\n`);
  await writePages(collection, output);
}

async function publish(command: Command<"publish">): Promise<void> {
  const commit = readCommit();
  if (commit === undefined || commit.endsWith("-dirty"))
    throw new UsageError("Results are published from a commit: commit the changes first.");
  const skipped = await publishRuns({
    ...{ ...command, commit, to: RESULTS, folder: resolve(REPORTS, "runs", commit) },
    perform: (scenario, seed) =>
      performInProcess({ scenario, args: [...process.argv.slice(2), "--seed", String(seed)] }),
    report: async (run, measured) => (await perform(run, measured)).result,
    say: (line) => print(`${line}\n`),
  });
  for (const { scenario, reason } of skipped) print(`Not published: ${scenario}: ${reason}\n`);
  if (skipped.some(({ scenario }) => scenario !== "lambda")) process.exitCode = 1;
}

/** Writes the report, of one result or of several, and, with --json, the results. */
async function writePages(everything: Result | Collection, output: Output): Promise<void> {
  const isOne = !("results" in everything);
  const file = reportFile(isOne ? everything.scenario : "all", output);
  // Charts need a library that takes as long to load as the rest.
  const { resultPage } = await import("./report/page.js");
  const { summaryPage } = await import("./report/summary.js");
  write(file, isOne ? resultPage(everything) : summaryPage(everything.results, everything.skipped));
  print(`Report: ${pathText(file)}\n`);
  const json = writeJson(output, everything);
  if (json !== undefined) print(`JSON: ${pathText(json)}\n`);
}

/** Returns the file of a report: the one of `--report`, or one in the package. */
const reportFile = (name: string, { report }: Output): string =>
  report === undefined ? resolve(REPORTS, `${name}.html`) : resolve(HERE, report);

/** Returns a path as the user would type it. */
const pathText = (file: string): string => relative(HERE, file) || file;

function writeJson({ json }: Output, everything: Result | Collection): string | undefined {
  if (json === undefined) return undefined;
  const to = resolve(HERE, json);
  write(to, `${JSON.stringify(everything, undefined, 2)}\n`);
  return to;
}

/** Checks that the output files can be written, before a run of minutes starts. */
function assertWritable({ json, report }: Output): void {
  for (const [option, name] of Object.entries({ json, report })) {
    if (name === undefined) continue;
    const file = resolve(HERE, name);
    try {
      mkdirSync(dirname(file), { recursive: true });
      closeSync(openSync(file, "a"));
    } catch (error) {
      throw new UsageError(`--${option}: cannot write the file: ${(error as Error).message}.`);
    }
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

// What was started ends with the process; frozen instances would not end by the signal alone.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    process.stderr.write("\nStopped.\n");
    process.exit(128 + constants.signals[signal]);
  });
}

// A reader such as `head` that has read enough ends the command.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await main();
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
