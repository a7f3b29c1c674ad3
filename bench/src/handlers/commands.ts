import type { ConnectedClient } from "../client/bench-client.js";
import { client, options, reused } from "../client/function-client.js";

/** The event of an invocation: commands on these keys. Default: one GET of `greeting`. */
export interface CommandsEvent {
  readonly keys?: readonly string[];
  /** One after another (the default), issued in one turn, or as one pipeline. */
  readonly how?: "sequential" | "together" | "pipeline";
  /** Default `get`. `incr` takes keys that hold whole numbers. */
  readonly command?: "get" | "set" | "incr";
  /** The value that `set` stores. Default: a short one. */
  readonly value?: string;
  /** The number of pairs to run in place of the commands. A pair is a GET on the kept client and a GET on a new one. */
  readonly pairs?: number;
  /** Whether the process stops itself after the commands. It responds once it is continued. */
  readonly stops?: boolean;
}

const kept = reused ? client.connect(options) : undefined;

/**
 * Returns the last value and the time in ms that the commands took. For pairs, the value is a ratio for each: the time with the new
 * client divided by that with the kept one.
 */
export const handler = async ({ pairs, stops, ...event }: CommandsEvent) => {
  const begunAt = performance.now();
  const body = pairs === undefined ? await runOn(kept, event) : await timePairs(kept!, pairs);
  if (stops) process.kill(process.pid, "SIGSTOP");
  return { statusCode: 200, body, ms: performance.now() - begunAt };
};

/** Runs commands on the given client, or on a new one without it. Returns the last value. */
async function runOn(own: ConnectedClient | undefined, event: CommandsEvent): Promise<unknown> {
  const used = own ?? client.connect(options);
  const values = await run(used, event);
  // Without keep-alive the client is not used again, so it is closed as its documentation requires.
  if (!own && !options.keepAlive) await used.close();
  return values.at(-1);
}

async function run(own: ConnectedClient, event: CommandsEvent): Promise<readonly unknown[]> {
  const { keys = ["greeting"], how = "sequential", command = "get", value = "hello" } = event;
  const issue = (key: string) => (command === "set" ? own.set(key, value) : own[command](key));
  if (how === "pipeline") return own.pipeline(keys);
  if (how === "together") return Promise.all(keys.map(issue));
  const values: unknown[] = [];
  for (const key of keys) values.push(await issue(key));
  return values;
}

async function timePairs(own: ConnectedClient, pairs: number): Promise<number[]> {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Each goes first in every other pair, so that the place has no effect.
    const first = await timeOf(pair % 2 === 0 ? own : undefined);
    const second = await timeOf(pair % 2 === 0 ? undefined : own);
    ratios.push(pair % 2 === 0 ? second / first : first / second);
  }
  return ratios;
}

async function timeOf(own: ConnectedClient | undefined): Promise<number> {
  const begunAt = performance.now();
  await runOn(own, {});
  return performance.now() - begunAt;
}
