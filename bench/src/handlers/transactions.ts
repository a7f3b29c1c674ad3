import { RawConnection, type RawTarget } from "../raw-connection.js";

/** A stretch of work: clients that run one command after another for so long. */
export interface TransactionsEvent {
  readonly target: RawTarget;
  readonly clients: number;
  /** Whether each command has a connection of its own. */
  readonly reconnect: boolean;
  readonly seconds: number;
}

/** The result; times in ms. */
export interface Transactions {
  readonly latencies: readonly number[];
  /** How long the clients spent connecting, all together. */
  readonly connectingMs: number;
  readonly elapsedMs: number;
}

const kept: RawConnection[] = [];

/** Works as pgbench with `-c clients -T seconds`, plus `-C` for reconnecting clients. Static connections stay open for the next stretch. */
export const handler = async (event: TransactionsEvent): Promise<{ body: Transactions }> => {
  const latencies: number[] = [];
  const { target, clients, reconnect, seconds } = event;
  while (!reconnect && kept.length < clients) kept.push(await RawConnection.open(target));
  let connectingMs = 0;
  const begunAt = performance.now();
  const until = begunAt + seconds * 1_000;
  const client = async (own: RawConnection | undefined) => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      const connection = own ?? (await RawConnection.open(target));
      const connectedAt = performance.now();
      await connection.run(["GET", "greeting"]);
      latencies.push(performance.now() - connectedAt);
      connectingMs += own ? 0 : connectedAt - startedAt;
      if (!own) connection.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(kept[index])));
  return { body: { latencies, connectingMs, elapsedMs: performance.now() - begunAt } };
};
