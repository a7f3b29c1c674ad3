import { RawConnection, type RawTarget } from "../client/raw-connection.js";
import { everyMs, runAt } from "../util/schedule.js";

/** A stretch of work: clients that run one command after another for a time. */
export interface TransactionsEvent {
  /** The address of plain sockets. Absent: the function's client. */
  readonly target?: RawTarget;
  readonly clients: number;
  /** Whether each command of a plain socket has a connection of its own. */
  readonly reconnect: boolean;
  readonly seconds: number;
  /** Further users per second: each connects or creates a client, runs one command and leaves. Default: none. */
  readonly newPerS?: number;
}

interface Session {
  get(): Promise<unknown>;
  close(): unknown;
}

const functionClient =
  process.env.BENCH_CLIENT === undefined ? undefined : await import("../client/function-client.js");
const kept: Session[] = [];

async function open({ target }: TransactionsEvent): Promise<Session> {
  if (target) {
    const connection = await RawConnection.open(target);
    return { get: () => connection.run(["GET", "greeting"]), close: () => connection.close() };
  }
  const client = functionClient!.client.connect({ ...functionClient!.options, autoPipelining: false });
  // A client over HTTP leaves its connections to the next one.
  const close = () => (functionClient!.client.protocol === "tcp" ? client.close() : undefined);
  return { get: () => client.get("greeting"), close };
}

/**
 * Works as pgbench with `-c clients -T seconds`, plus `-C` for reconnecting clients. Static connections stay open for the next stretch.
 * @returns times in ms: of the commands, of connecting by all clients together, and of the whole stretch
 */
export const handler = async (event: TransactionsEvent) => {
  const latencies: number[] = [];
  const { clients, reconnect, seconds, newPerS = 0 } = event;
  while (!reconnect && kept.length < clients) kept.push(await open(event));
  let connectingMs = 0;
  const begunAt = performance.now();
  const until = begunAt + seconds * 1_000;
  const transaction = async (existing: Session | undefined) => {
    const startedAt = performance.now();
    const session = existing ?? (await open(event));
    const connectedAt = performance.now();
    await session.get();
    latencies.push(performance.now() - connectedAt);
    connectingMs += existing ? 0 : connectedAt - startedAt;
    if (!existing) session.close();
  };
  const client = async (existing: Session | undefined) => {
    while (performance.now() < until) await transaction(existing);
  };
  await Promise.all([
    ...Array.from({ length: clients }, (_, index) => client(kept[index])),
    runAt(everyMs(1_000 / newPerS, seconds * 1_000), () => transaction(undefined)),
  ]);
  return { body: { latencies, connectingMs, elapsedMs: performance.now() - begunAt } };
};
