import { type BenchClient, clientFunction, type Endpoint } from "../client/bench-client.js";
import type { Transactions, TransactionsEvent } from "../handlers/transactions.js";
import { runInstance } from "../rig/run-instance.js";

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
): Promise<Transactions & { readonly perSecond: number }> {
  const what = clientFunction("transactions", client, { keepAlive, reused: true }, endpoint);
  const load = { clients: users, reconnect: false, asShipped: true };
  const events = [warmUpMs, ms].map((each): TransactionsEvent => ({ ...load, seconds: each / 1_000 }));
  const { bodies } = await runInstance(client.label, what, { events, trust, timeoutMs: 120_000 });
  const done = bodies[1] as Transactions;
  return { ...done, perSecond: (done.latencies.length * 1_000) / done.elapsedMs };
}
