import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runAdvise } from "./advise/run.js";
import { checkText, verdictText } from "./checks.js";
import { type CommandLine, HELP, type Output, parse, type Run, UsageError } from "./command-line.js";
import { compareRuns } from "./compare.js";
import { LoadGuard } from "./load-guard.js";
import { thisMachine } from "./machine.js";
import { Progress } from "./progress.js";
import { clients, scenarios } from "./registry.js";
import type { Collection, Result, SkippedScenario } from "./result.js";
import { fullResultsAt, resultsIn } from "./result-file.js";
import { runScenario } from "./run-scenario.js";
import { asText } from "./table.js";

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
  } else await runAll(command);
}

/** Runs every scenario. Skips those that cannot run here; a failed one does not stop the others. */
async function runAll({ runs, ...output }: Extract<CommandLine, { action: "all" }>): Promise<void> {
  const results: Result[] = [];
  const skipped: SkippedScenario[] = [];
  assertWritable(output);
  for (const run of runs) {
    const { name: scenario, missing } = run.scenario;
    const reason = missing?.();
    if (reason !== undefined) {
      skipped.push({ scenario, reason });
      continue;
    }
    try {
      const result = await perform(run);
      show(result);
      keep(run, result);
      results.push(result);
    } catch (error) {
      process.stderr.write(`${scenario}: ${error instanceof Error ? error.stack : error}\n`);
      skipped.push({
        scenario,
        reason: `failed: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
      });
      process.exitCode = 1;
    }
  }
  for (const { scenario, reason } of skipped) process.stdout.write(`Skipped: ${scenario}: ${reason}\n`);
  const collection: Collection = { format: 3, results, skipped };
  await publish(results, skipped, collection, "all", output);
}

async function perform({ scenario, settings, clients, line }: Run): Promise<Result> {
  const reason = scenario.missing?.();
  if (reason !== undefined) throw new UsageError(`${scenario.name} cannot run here: it ${reason}.`);
  const startedAt = new Date();
  const machine = thisMachine();
  const guard = await LoadGuard.start();
  const begunAt = performance.now();
  const progress = new Progress(process.stderr, scenario.name);
  const outcome = await runScenario(scenario, settings, clients, progress).finally(() => progress.end());
  return {
    format: 3,
    scenario: scenario.name,
    title: scenario.title,
    question: scenario.question,
    command: line,
    seed: settings.seed,
    machine,
    load: guard.end(),
    startedAt: startedAt.toISOString(),
    seconds: Math.round((performance.now() - begunAt) / 100) / 10,
    ...outcome,
  };
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
  { json, report }: Output,
): Promise<void> {
  const file = report === undefined ? resolve(REPORTS, `${name}.html`) : resolve(HERE, report);
  // Charts need a library that takes as long to load as the rest.
  const { pagesOf } = await import("./report/pages.js");
  for (const page of pagesOf(file, results, skipped)) write(page.file, page.html);
  process.stdout.write(`Report: ${relative(HERE, file) || file}\n`);
  if (json !== undefined) {
    const to = resolve(HERE, json);
    write(to, `${JSON.stringify(everything, undefined, 2)}\n`);
    process.stdout.write(`JSON: ${relative(HERE, to) || to}\n`);
  }
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
