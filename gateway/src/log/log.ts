import { destination, type Logger, pino } from "pino";

/** Log levels, from none to all lines. */
export const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug"] as const;
/** The least severe lines that are written. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The gateway's log for operators. */
export type Log = Logger;

/** A log of JSON lines on stderr: stdout is for what programs wait for. */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      name: "warmline-gateway",
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    destination({ dest: 2, sync: true }),
  );
}
