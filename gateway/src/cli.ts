#!/usr/bin/env node
import { helpText } from "./cli/help.js";
import { loadOrCreateToken } from "./cli/kept-token.js";
import { environmentOf, readyLines, redisEnvironmentOf } from "./cli/ready-lines.js";
import { runCommand } from "./cli/run-command.js";
import { type CliSettings, readSettings } from "./cli/settings.js";
import { StopSignals, statusOf } from "./cli/stop-signal.js";
import { UsageError } from "./cli/usage-error.js";
import { type StartedGateway, startGateway } from "./create.js";
import { failureOf } from "./log/failure.js";
import { createLog, type Log } from "./log/log.js";
import { type GatewayOptions, hasToken, resolveSettings } from "./settings/options.js";
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

async function run({ options, command }: CliSettings): Promise<number> {
  // Before anything is started: a signal may come at any time.
  const signals = new StopSignals();
  logUncaught(createLog(resolveSettings(options).logLevel));
  const kept = hasToken(options) ? null : loadOrCreateToken(process.env);
  // With a token of its own the gateway is in development, so the console is on.
  const ownToken = kept && { token: kept.token, console: options.console ?? true };
  const gateway = await start({ ...options, ...ownToken }, command !== undefined).catch((error) => {
    // A terminal signals every process, so a redis-server may have ended before it was ready.
    if (signals.received) return null;
    throw error;
  });
  if (!gateway) return 0;
  // A command's output stays its own.
  const output = command === undefined ? process.stdout : process.stderr;
  if (!signals.received) output.write(`${readyLines(gateway, kept).join("\n")}\n`);
  let status = 0;
  if (command === undefined) await signals.first;
  else if (signals.received) status = statusOf(signals.received);
  else {
    signals.release();
    const environment = { ...process.env, ...environmentOf(gateway), ...redisEnvironmentOf(options) };
    status = await runCommand(command, environment, report);
  }
  await gateway.close();
  return status;
}

/** Starts a gateway. With a command it takes any free port if the default one is in use: the command's environment names it. */
async function start(options: GatewayOptions, hasCommand: boolean): Promise<StartedGateway> {
  try {
    return await startGateway(options);
  } catch (error) {
    const isPortTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    if (!isPortTaken || options.port !== undefined || !hasCommand) throw error;
    return startGateway({ ...options, port: 0 });
  }
}

/** Logs an uncaught error before it ends this process with status 1. */
function logUncaught(log: Log): void {
  process.on("uncaughtException", (error) => {
    log.fatal(failureOf(error), "the process ends after an uncaught error");
    process.exit(1);
  });
}

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: Error) => {
    report(error.message);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
