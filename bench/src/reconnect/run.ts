import { startInstance } from "warmline-testbed";
import { handlerPath } from "../bench-client.js";
import type { Transactions, TransactionsEvent } from "../handlers/transactions.js";
import type { RawTarget } from "../raw-connection.js";

/** Clients that run one command after another. */
export interface TransactionsCase {
  readonly target: RawTarget;
  readonly trust: Readonly<Record<string, string>>;
  /** The number of clients. */
  readonly users: number;
  /** Whether each command has a connection of its own. */
  readonly reconnect: boolean;
}

/** The numbers of a run: latencies in ms, and transactions per second with and without the time for connecting. */
export interface TransactionsSample {
  readonly latencies: readonly number[];
  readonly tps: number;
  readonly tpsExcluding: number;
}

/** Runs transactions in an instance of their own, after 0.2 s that do not count. */
export async function runTransactions(
  { target, trust, users, reconnect }: TransactionsCase,
  seconds: number,
): Promise<TransactionsSample> {
  const handler = handlerPath("transactions");
  const instance = await startInstance({ handler, env: trust, timeoutMs: 120_000 });
  const drive = async (seconds: number): Promise<Transactions> => {
    const event: TransactionsEvent = { target, clients: users, reconnect, seconds };
    const { result, error } = await instance.invoke(event);
    if (error) throw new Error(`The transactions failed: ${error.errorMessage}\n${instance.output}`);
    return (result as { body: Transactions }).body;
  };
  try {
    await drive(0.2);
    const { latencies, elapsedMs, connectingMs } = await drive(seconds);
    const count = latencies.length * 1_000;
    return { latencies, tps: count / elapsedMs, tpsExcluding: count / (elapsedMs - connectingMs / users) };
  } finally {
    await instance.stop();
  }
}
