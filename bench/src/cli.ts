import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type CommandLine, HELP, parse, UsageError } from "./command-line.js";
import { thisMachine } from "./machine.js";
import { Progress } from "./progress.js";
import { peers, scenarios } from "./registry.js";
import { page } from "./report/page.js";
import type { Result } from "./result.js";
import type { Scenario } from "./scenario.js";
import { asText } from "./table.js";

/** Where the person stands who typed the command: npm runs it in the package's folder. */
const HERE = process.env.INIT_CWD ?? process.cwd();
const REPORTS = fileURLToPath(new URL("../report/", import.meta.url));

async function main(): Promise<void> {
  const known = await scenarios();
  const command = parse(process.argv.slice(2), known, await peers());
  if (command.action === "help") process.stdout.write(HELP);
  else if (command.action === "list") {
    for (const { name, question } of known) process.stdout.write(`${name.padEnd(14)}${question}\n`);
  } else await run(command);
}

async function run({
  scenario,
  settings,
  json,
  report,
  line,
}: Extract<CommandLine, { action: "run" }>): Promise<void> {
  const startedAt = new Date();
  const machine = thisMachine();
  const begunAt = performance.now();
  const outcome = await scenario.run({ ...settings, progress: new Progress(process.stderr, scenario.name) });
  const result: Result = {
    format: 1,
    scenario: scenario.name,
    title: scenario.title,
    question: scenario.question,
    command: line,
    seed: settings.seed,
    machine,
    startedAt: startedAt.toISOString(),
    seconds: Math.round((performance.now() - begunAt) / 100) / 10,
    ...outcome,
  };
  show(scenario, result);
  const reportFile = report === undefined ? resolve(REPORTS, `${scenario.name}.html`) : resolve(HERE, report);
  write(reportFile, page([result]));
  process.stdout.write(`\nReport: ${relative(HERE, reportFile) || reportFile}\n`);
  if (json !== undefined) {
    const file = resolve(HERE, json);
    write(file, `${JSON.stringify(result, undefined, 2)}\n`);
    process.stdout.write(`JSON: ${relative(HERE, file) || file}\n`);
  }
}

function show(scenario: Scenario, result: Result): void {
  const { machine, settings } = result;
  process.stdout.write(`${scenario.title}: ${scenario.question}\n`);
  process.stdout.write(
    `${machine.cores} cores, Node ${machine.node.slice(1)}, round trip ${settings.rttMs} ms${settings.tls ? ", TLS" : ""}, ` +
      `${settings.engine}, seed ${result.seed}, ${result.seconds} s\n\n`,
  );
  process.stdout.write(`${asText(result.table)}\n\n${wrap(result.finding, 110)}\n\n`);
  for (const { claim, held, measured } of result.checks) {
    process.stdout.write(`${held ? "held  " : "MISSED"}  ${claim}: ${measured}\n`);
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
