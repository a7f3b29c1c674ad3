import type { ConnectedClient } from "../bench-client.js";
import { client, options } from "../function-client.js";

/** A stretch of load: users that run one GET after another. */
export interface ClientLoadEvent {
  readonly users: number;
  readonly ms: number;
}

/** The result; times in ms. */
export interface ClientLoad {
  readonly latencies: readonly number[];
  readonly elapsedMs: number;
}

/** Each user has a client of its own, which stays for the next stretch. */
const connected: ConnectedClient[] = [];

export const handler = async ({ users, ms }: ClientLoadEvent): Promise<{ body: ClientLoad }> => {
  const latencies: number[] = [];
  while (connected.length < users) connected.push(client.connect(options));
  const begunAt = performance.now();
  const use = async (own: ConnectedClient) => {
    for (let now = begunAt; now - begunAt < ms; ) {
      await own.get("greeting");
      const ended = performance.now();
      latencies.push(ended - now);
      now = ended;
    }
  };
  await Promise.all(connected.slice(0, users).map(use));
  return { body: { latencies, elapsedMs: performance.now() - begunAt } };
};
