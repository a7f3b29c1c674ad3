import { startInstance } from "warmline-testbed";
import { clientFunction, type FunctionSpec, handlerPath } from "../client/bench-client.js";
import type { Transactions, TransactionsEvent } from "../handlers/transactions.js";
import type { Rig } from "../rig/rig.js";
import type { ReconnectWay } from "./ways.js";

/**
 * Runs transactions of so many users in an instance of their own, after 0.2 s that do not count. Returns latencies in ms,
 * transactions per second with and without the time for connecting, and the number of connections opened meanwhile.
 */
export async function runTransactions(
  { target, client, reconnect, crosses }: ReconnectWay,
  users: number,
  { endpoint, trust, connectionsOpened }: Rig,
  seconds: number,
) {
  const what: FunctionSpec = client
    ? clientFunction("transactions", client, { keepAlive: !reconnect, reused: true }, endpoint)
    : { handler: "transactions", env: {} };
  const instance = await startInstance({
    handler: handlerPath(what.handler),
    env: { ...what.env, ...trust },
    timeoutMs: 120_000,
  });
  const drive = async (seconds: number): Promise<Transactions> => {
    // A client without keep-alive reconnects for each command by itself.
    const event: TransactionsEvent = { target, clients: users, reconnect: reconnect && !client, seconds };
    const { result, error } = await instance.invoke(event);
    if (error) throw new Error(`The transactions failed: ${error.errorMessage}\n${instance.output}`);
    return (result as { body: Transactions }).body;
  };
  // Counted at the proxy, if they cross it.
  const opened = () => (crosses ? connectionsOpened({ protocol: crosses }) : Number.NaN);
  try {
    await drive(0.2);
    const before = opened();
    const { latencies, elapsedMs, connectingMs } = await drive(seconds);
    const count = latencies.length * 1_000;
    return {
      latencies,
      tps: count / elapsedMs,
      // Clients connect within their command.
      tpsExcluding: client ? Number.NaN : count / (elapsedMs - connectingMs / users),
      opened: opened() - before,
    };
  } finally {
    await instance.stop();
  }
}
