import { builtin } from "../transport/node/builtin.js";
import { monotonicTime } from "../util/clock.js";

/** The channels of events, whose messages have no argument of a command. */
const EVENTS = ["connection:opened", "connection:reused", "connection:closed", "retry", "thaw", "circuit"];

let isStarted = false;

/**
 * Prints a line on stderr for each request and each event of connections, if NODE_DEBUG names warmline. The lines have commands
 * by their names.
 */
export function startDebugLog(): void {
  if (isStarted || !/\bwarmline\b/i.test(process.env.NODE_DEBUG ?? "")) return;
  isStarted = true;
  const { subscribe, tracingChannel } = builtin("node:diagnostics_channel");
  const { debuglog, inspect } = builtin("node:util");
  const log = debuglog("warmline");
  const print = (name: string, details: unknown) => log(name, inspect(details, { breakLength: Infinity }));
  for (const name of EVENTS) subscribe(`warmline:${name}`, (event) => print(name, event));
  const started = new WeakMap<object, number>();
  tracingChannel("warmline:request").subscribe({
    start: (message) => void started.set(message, monotonicTime()),
    end() {},
    asyncStart() {},
    error() {},
    asyncEnd(message: any) {
      const { command, batchSize, serverAddress, error } = message;
      const { name = "ok", code, outcome } = error ?? {};
      const ms = Math.round(monotonicTime() - started.get(message)!);
      print(command, { ...(batchSize && { batchSize }), result: name, code, outcome, ms, serverAddress });
    },
  });
}
