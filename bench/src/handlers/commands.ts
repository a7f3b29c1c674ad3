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
}

const kept = reused ? client.connect(options) : undefined;

export const handler = async (event: CommandsEvent) => {
  const own = kept ?? client.connect(options);
  const values = await run(own, event);
  // Without keep-alive the client is not used again, so it is closed as its documentation requires.
  if (!kept && !options.keepAlive) await own.close();
  return { statusCode: 200, body: values.at(-1) };
};

async function run(
  own: ConnectedClient,
  { keys = ["greeting"], how = "sequential", command = "get", value = "hello" }: CommandsEvent,
): Promise<readonly unknown[]> {
  const issue = (key: string) => (command === "set" ? own.set(key, value) : own[command](key));
  if (how === "pipeline") return own.pipeline(keys);
  if (how === "together") return Promise.all(keys.map(issue));
  const values: unknown[] = [];
  for (const key of keys) values.push(await issue(key));
  return values;
}
