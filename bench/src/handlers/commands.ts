import type { ConnectedClient } from "../bench-client.js";
import { connect, options, reused } from "../function-client.js";

/** The event of an invocation: GETs of these keys, by default one GET of `greeting`. */
export interface CommandsEvent {
  readonly keys?: readonly string[];
  /** One after another (the default), issued in one turn, or as one pipeline. */
  readonly how?: "sequential" | "together" | "pipeline";
}

const kept = reused ? connect(options) : undefined;

export const handler = async ({ keys = ["greeting"], how = "sequential" }: CommandsEvent) => {
  const client = kept ?? connect(options);
  const values = await run(client, keys, how);
  // Without keep-alive the client is not used again, so it is closed as its documentation requires.
  if (!kept && !options.keepAlive) await client.close();
  return { statusCode: 200, body: values.at(-1) };
};

async function run(
  client: ConnectedClient,
  keys: readonly string[],
  how: string,
): Promise<readonly unknown[]> {
  if (how === "pipeline") return client.pipeline(keys);
  if (how === "together") return Promise.all(keys.map((key) => client.get(key)));
  const values: unknown[] = [];
  for (const key of keys) values.push(await client.get(key));
  return values;
}
