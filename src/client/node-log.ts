import { builtin } from "../transport/node/builtin.js";
import { monotonicTime } from "../util/clock.js";
import { logLine, requestLine } from "./request-log.js";

/** The channels of events. Their messages contain no argument of a command. */
const EVENTS = ["connection:opened", "connection:reused", "connection:closed", "retry", "thaw", "circuit"];

let isStarted = false;

/**
 * Prints a line on stderr for each request and each event of the process's connections, if the client has the option, or if
 * NODE_DEBUG names warmline. Commands appear only by their names.
 */
export function startLog(debug = /\bwarmline\b/i.test(process.env.NODE_DEBUG ?? "")): void {
  if (isStarted || !debug) return;
  isStarted = true;
  const { subscribe, tracingChannel } = builtin("node:diagnostics_channel");
  const print = (line: string) => void process.stderr.write(`WARMLINE ${process.pid}: ${line}\n`);
  for (const name of EVENTS) subscribe(`warmline:${name}`, (event) => print(logLine(name, event as object)));
  const started = new WeakMap<object, number>();
  const { start, asyncEnd } = tracingChannel("warmline:request");
  start.subscribe((message) => void started.set(message as object, monotonicTime()));
  asyncEnd.subscribe((message: any) => {
    const since = started.get(message);
    // It is undefined for a request that began before this log.
    if (since !== undefined) print(requestLine(message, monotonicTime() - since, message.error));
  });
}
