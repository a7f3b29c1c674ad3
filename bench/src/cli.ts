import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runAdvise } from "./advise/run.js";
import { clients, scenarios } from "./registry.js";
import { checkText, verdictText } from "./results/checks.js";
import { compareRuns } from "./results/compare.js";
import type { Collection, Result, SkippedScenario } from "./results/result.js";
import { fullResultsAt, resultsIn } from "./results/result-file.js";
import { asText } from "./results/table.js";
import { type CommandLine, HELP, type Output, parse, type Run, UsageError } from "./runner/command-line.js";
import { perform } from "./runner/perform.js";
import { runAll } from "./runner/run-all.js";
import { performInProcess } from "./runner/scenario-process.js";

/** The folder in which the command was typed; npm runs it in the package's folder. */
const HERE = process.env.INIT_CWD ?? process.cwd();
const REPORTS = fileURLToPath(new URL("../report/", import.meta.url));

/** Returns the file of a scenario's last result, which advise reads. */
const lastOf = (scenario: string): string => resolve(REPORTS, `${scenario}.json`);

async function main(): Promise<void> {
  const known = await scenarios();
  const command = parse(process.argv.slice(2), known, await clients());
  if (command.action === "help") process.stdout.write(HELP);
  else if (command.action === "list") {
    for (const { name, question } of known) process.stdout.write(`${name.padEnd(14)}${question}\n`);
  } else if (command.action === "advise") {
    const from = command.from && resolve(HERE, command.from);
    process.stdout.write(await runAdvise({ ...command, from }, known, lastOf, perform));
  } else if (command.action === "compare") {
    const [a, b] = command.runs.map((name) => ({ name, results: fullResultsAt(resolve(HERE, name)) }));
    const { agrees, text } = compareRuns(a!, b!);
    process.stdout.write(text);
    if (!agrees) process.exitCode = 1;
  } else if (command.action === "report") {
    const files = command.files.flatMap((file) => resultsIn(resolve(HERE, file)));
    const last = new Map(files.map((result) => [result.scenario, result]));
    const results = known.flatMap(({ name }) => last.get(name) ?? []);
    await publish(results, [], { format: 3, results, skipped: [] }, "all", command);
  } else if (command.action === "run") {
    assertWritable(command);
    const result = await perform(command);
    show(result);
    keep(command, result);
    await publish([result], [], result, result.scenario, command);
  } else await runScenarios(command);
}

/** Runs every scenario, each in a process of its own, and writes the results so far after each. */
async function runScenarios({ runs, ...output }: Extract<CommandLine, { action: "all" }>): Promise<void> {
  assertWritable(output);
  const args = [...process.argv.slice(2), "--seed", String(runs[0]!.settings.seed)];
  const { failed, ...collection } = await runAll(
    runs,
    ({ scenario }) => performInProcess({ scenario: scenario.name, args }),
    (run, result, all) => {
      show(result);
      keep(run, result);
      writeJson(output, all);
    },
    (scenario, error) => process.stderr.write(`${scenario}: ${error.message}\n`),
  );
  if (failed) process.exitCode = 1;
  const { results, skipped } = collection;
  for (const { scenario, reason } of skipped) process.stdout.write(`Skipped: ${scenario}: ${reason}\n`);
  await publish(results, skipped, collection, "all", output);
}

function show(result: Result): void {
  const { machine, settings, load } = result;
  process.stdout.write(`${result.title}: ${result.question}\n`);
  process.stdout.write(
    `${machine.cores} cores, Node ${machine.node.slice(1)}, round trip ${settings.rttMs} ms${settings.tls ? ", TLS" : ""}, ` +
      `${settings.engine}, seed ${result.seed}, ${result.seconds} s\n\n`,
  );
  process.stdout.write(`${asText(result.table)}\n\n`);
  for (const { value, label } of result.headlines) process.stdout.write(`${value}: ${label}\n`);
  process.stdout.write(`\n${wrap(result.summary, 110)}\n\n`);
  for (const check of result.checks) process.stdout.write(`${verdictText(check)}  ${checkText(check)}\n`);
  if (load.warning !== undefined) process.stdout.write(`\nWarning: ${load.warning}\n`);
  process.stdout.write("\n");
}

/** Saves the result for advise, unless the number of repetitions was given: it may be too small. */
function keep({ partial }: Run, result: Result): void {
  if (partial) return;
  write(lastOf(result.scenario), `${JSON.stringify(result)}\n`);
}

/**
 * Writes the report and, with --json, the results. Several results get a summary page, and a page each in a folder of the
 * same name beside it.
 */
async function publish(
  results: readonly Result[],
  skipped: readonly SkippedScenario[],
  everything: Result | Collection,
  name: string,
  output: Output,
): Promise<void> {
  const { report } = output;
  const file = report === undefined ? resolve(REPORTS, `${name}.html`) : resolve(HERE, report);
  // Charts need a library that takes as long to load as the rest.
  const { pagesOf } = await import("./report/pages.js");
  for (const page of pagesOf(file, results, skipped)) write(page.file, page.html);
  process.stdout.write(`Report: ${relative(HERE, file) || file}\n`);
  const to = writeJson(output, everything);
  if (to !== undefined) process.stdout.write(`JSON: ${relative(HERE, to) || to}\n`);
}

/** Writes the results, with --json. Returns the file. */
function writeJson({ json }: Output, everything: Result | Collection): string | undefined {
  if (json === undefined) return undefined;
  const to = resolve(HERE, json);
  write(to, `${JSON.stringify(everything, undefined, 2)}\n`);
  return to;
}

function wrap(text: string, width: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1)!;
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
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
