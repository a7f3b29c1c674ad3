#!/usr/bin/env node
import cluster from "node:cluster";
import { commandLine, wantsColours } from "./cli/command-lines.js";
import { helpText } from "./cli/help.js";
import { readKeptToken } from "./cli/kept-token.js";
import { environmentOf, readyLines, redisEnvironmentOf } from "./cli/ready-lines.js";
import { runCommand } from "./cli/run-command.js";
import { type CliSettings, readSettings } from "./cli/settings.js";
import { start } from "./cli/start.js";
import { StopSignals, statusOf } from "./cli/stop-signal.js";
import { UsageError } from "./cli/usage-error.js";
import { runWorker } from "./cli/workers/worker.js";
import { logUncaught } from "./log/fatal.js";
import { createLog } from "./log/log.js";
import { hasToken, resolveSettings } from "./settings/options.js";
import type { TracedCommand } from "./trace/traced-command.js";
import { VERSION } from "./version.js";

/** Prints a readable line to stderr, apart from the output for programs. */
function report(message: string): void {
  process.stderr.write(`warmline-gateway: ${message}\n`);
}

async function main(): Promise<number> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings.action === "help") process.stdout.write(helpText());
  else if (settings.action === "version") process.stdout.write(`${VERSION}\n`);
  else return run(settings);
  return 0;
}

async function run(settings: CliSettings): Promise<number> {
  // Before anything is started: a signal may come at any time.
  const signals = new StopSignals();
  // A command's output stays its own.
  const output = settings.command === undefined ? process.stdout : process.stderr;
  const colours = wantsColours(output, process.env);
  const onCommand = settings.traceCommands
    ? (command: TracedCommand) => output.write(`${commandLine(command, new Date(), colours)}\n`)
    : undefined;
  const log = createLog(resolveSettings(settings.options).logLevel);
  logUncaught(log);
  const kept = hasToken(settings.options) ? null : readKeptToken(process.env);
  const options = { ...settings.options, onCommand };
  // With a token of its own the gateway is in development, so the console is on.
  const ownToken = kept && { token: kept.token, console: options.console ?? true };
  const gateway = await start({ ...settings, options: { ...options, ...ownToken } }, (message) =>
    log.error(message),
  ).catch((error) => {
    // A terminal signals every process, so a worker or a redis-server may have ended before it was ready.
    if (signals.received) return null;
    throw error;
  });
  if (!gateway) return 0;
  if (!signals.received) output.write(`${readyLines(gateway, kept).join("\n")}\n`);
  let status = 0;
  if (settings.command === undefined) await signals.first;
  else if (signals.received) status = statusOf(signals.received);
  else {
    signals.release();
    const environment = { ...process.env, ...environmentOf(gateway), ...redisEnvironmentOf(options) };
    status = await runCommand(settings.command, environment, report);
  }
  await gateway.close();
  return status;
}

if (cluster.isWorker) runWorker();
else {
  main().then(
    (status) => {
      process.exitCode = status;
    },
    (error: Error) => {
      report(error.message);
      process.exitCode = error instanceof UsageError ? 2 : 1;
    },
  );
}
