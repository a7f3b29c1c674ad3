import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { clients, scenarios } from "./registry.js";
import { readCommit } from "./results/commit.js";
import { thisMachine } from "./results/machine.js";
import type { Collection, Result, SkippedScenario } from "./results/result.js";
import { resultsIn } from "./results/result-file.js";
import { resultText } from "./results/result-text.js";
import { type CommandLine, HELP, type Output, parse, type Run } from "./runner/command-line.js";
import { perform } from "./runner/perform.js";
import { publish as publishRuns } from "./runner/publish.js";
import { runAll } from "./runner/run-all.js";
import { performInProcess } from "./runner/scenario-process.js";
import { UsageError } from "./util/usage.js";

/** The folder in which the command was typed; npm runs it in the package's folder. */
const HERE = process.env.INIT_CWD ?? process.cwd();
const REPORTS = fileURLToPath(new URL("../report/", import.meta.url));
const RESULTS = fileURLToPath(new URL("../results/", import.meta.url));

async function main(): Promise<void> {
  const known = await scenarios();
  const command = parse(process.argv.slice(2), known, await clients());
  if (command.action === "help") process.stdout.write(HELP);
  else if (command.action === "list") {
    for (const { name, question, parts = [] } of known) {
      process.stdout.write(`${name.padEnd(16)}${question}\n`);
      for (const part of parts) process.stdout.write(`  ${part.name.padEnd(14)}${part.question}\n`);
    }
  } else if (command.action === "publish") {
    await publishScenarios(command);
  } else if (command.action === "report") {
    const files = command.files.flatMap((file) => resultsIn(resolve(HERE, file)));
    const last = new Map(files.map((result) => [result.scenario, result]));
    const results = known.flatMap(({ name }) => last.get(name) ?? []);
    await writePages(results, [], { format: 4, results, skipped: [] }, "all", command);
  } else if (command.action === "run") {
    assertWritable(command);
    announce(command);
    const { result } = await perform(command);
    process.stdout.write(resultText(result));
    await writePages([result], [], result, result.scenario, command);
  } else await runScenarios(command);
}

/** Runs every scenario, each in a process of its own, and writes the results so far after each. */
async function runScenarios({ runs, ...output }: Extract<CommandLine, { action: "all" }>): Promise<void> {
  assertWritable(output);
  const args = [...process.argv.slice(2), "--seed", String(runs[0]!.settings.seed)];
  const { failed, ...collection } = await runAll(
    runs,
    ({ scenario }) => performInProcess({ scenario: scenario.name, args }).then(({ result }) => result),
    (_, result, all) => {
      process.stdout.write(`${result.title}: ${result.question}\n\n${resultText(result)}`);
      writeJson(output, all);
    },
    (scenario, error) => process.stderr.write(`${scenario}: ${error.message}\n`),
  );
  if (failed) process.exitCode = 1;
  const { results, skipped } = collection;
  for (const { scenario, reason } of skipped) process.stdout.write(`Skipped: ${scenario}: ${reason}\n`);
  await writePages(results, skipped, collection, "all", output);
}

/** Prints what a run measures, how long it takes and where its report will be. */
function announce({ scenario, settings, clients, report }: Run & Output): void {
  const seconds = scenario.totalS?.({ settings, clients });
  const time = seconds === undefined ? "" : `, about ${seconds} s`;
  const file = pathText(reportFile(scenario.name, report));
  process.stdout.write(`Measuring: ${scenario.title}${time}. Report: ${file}\n${scenario.question}\n\n`);
}

/** Runs scenarios several times and writes the results that pages show. */
async function publishScenarios(command: Extract<CommandLine, { action: "publish" }>): Promise<void> {
  const { runs, count, seed, again, trial } = command;
  const commit = readCommit();
  if (!trial && (commit === undefined || commit.endsWith("-dirty")))
    throw new UsageError("Results are published from a commit: commit the changes first, or add --trial.");
  const args = [...process.argv.slice(2), "--seed", String(seed)];
  const { cpu, cores, node } = thisMachine();
  const to = trial ? resolve(REPORTS, "trial") : RESULTS;
  const folder = resolve(REPORTS, trial ? "trial/runs" : "runs");
  const skipped = await publishRuns({
    ...{ runs, count, seed, again, commit, lenient: trial, to, folder },
    keyOf: (run) => {
      const parts = [run, ...run.parts].map(({ scenario: { name }, settings, clients }) => {
        return [name, { ...settings, seed: 0 }, clients.map((client) => client.name)];
      });
      return JSON.stringify([commit, parts, cpu, cores, node]);
    },
    measure: async (run, seed, file) => {
      const scenario = run.scenario.name;
      const once = { seed, file: resolve(folder, file) };
      const { result, paces } = await performInProcess({ scenario, args, run: once });
      const { startedAt, seconds, load } = result;
      return { scenario, seed, startedAt, seconds, load, paces: paces!, file };
    },
    report: async ({ scenario: { name: scenario } }, report) =>
      (await performInProcess({ scenario, args, report })).result,
    say: (line) => process.stdout.write(`${line}\n`),
  });
  for (const { scenario, reason } of skipped) process.stdout.write(`Not published: ${scenario}: ${reason}\n`);
  if (skipped.some(({ scenario }) => scenario !== "lambda")) process.exitCode = 1;
}

/**
 * Writes the report and, with --json, the results. Several results get a summary page, and a page each in a folder of the
 * same name beside it.
 */
async function writePages(
  results: readonly Result[],
  skipped: readonly SkippedScenario[],
  everything: Result | Collection,
  name: string,
  output: Output,
): Promise<void> {
  const file = reportFile(name, output.report);
  // Charts need a library that takes as long to load as the rest.
  const { pagesOf } = await import("./report/pages.js");
  for (const page of pagesOf(file, results, skipped)) write(page.file, page.html);
  process.stdout.write(`Report: ${pathText(file)}\n`);
  const to = writeJson(output, everything);
  if (to !== undefined) process.stdout.write(`JSON: ${pathText(to)}\n`);
}

/** Returns the file of a report: the one of `--report`, or one in the package. */
const reportFile = (name: string, report: string | undefined): string =>
  report === undefined ? resolve(REPORTS, `${name}.html`) : resolve(HERE, report);

/** Returns a path as the user would type it. */
const pathText = (file: string): string => relative(HERE, file) || file;

/** Writes the results, with --json. Returns the file. */
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
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  }
}
