import { failureOf } from "./failure.js";
import type { Log } from "./log.js";

/** Logs an uncaught error before it ends this process with status 1. */
export function logUncaught(log: Log): void {
  process.on("uncaughtException", (error) => {
    log.fatal(failureOf(error), "the process ends after an uncaught error");
    process.exit(1);
  });
}
