import { type BenchClient, clientFunction, type Endpoint } from "./bench-client.js";
import type { ClientLoad, ClientLoadEvent } from "./handlers/client-load.js";
import { runInstance } from "./run-instance.js";

/** Users of a client, each of which runs one GET after another. */
export interface ClientLoadCase {
  readonly client: BenchClient;
  readonly endpoint: Endpoint;
  readonly trust: Readonly<Record<string, string>>;
  readonly users: number;
  readonly keepAlive: boolean;
}

/** Runs load in an instance of its own, after a warm-up that does not count. Times are in ms. */
export async function runClientLoad(
  { client, endpoint, trust, users, keepAlive }: ClientLoadCase,
  ms: number,
  warmUpMs: number,
): Promise<ClientLoad & { readonly perSecond: number }> {
  const what = clientFunction("client-load", client, { keepAlive, reused: true }, endpoint);
  const events: ClientLoadEvent[] = [warmUpMs, ms].map((each) => ({ users, ms: each }));
  const { bodies } = await runInstance(client.label, what, { events, trust, timeoutMs: 120_000 });
  const load = bodies[1] as ClientLoad;
  return { ...load, perSecond: (load.latencies.length * 1_000) / load.elapsedMs };
}
