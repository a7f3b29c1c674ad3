import { client, options } from "../client/function-client.js";
import { everyMs, runAt } from "../util/schedule.js";

/** Requests that one instance serves at a time. */
export interface FluidEvent {
  readonly requests: number;
  /** The time in ms over which they arrive, evenly. */
  readonly overMs: number;
  /** GETs of each request, one after another. */
  readonly commands: number;
}

/** The measurements of the requests; times in ms. */
export interface FluidReport {
  /** Times of the requests from the moment at which each was due. */
  readonly latencies: readonly number[];
  readonly cpuMs: number;
}

const connected = client.connect({ ...options, keepAlive: true });

/** Serves several requests at once in one process, as Vercel's Fluid does. */
export const handler = async (event: FluidEvent): Promise<{ body: FluidReport }> => {
  const { requests, overMs, commands } = event;
  const before = process.cpuUsage();
  const latencies: number[] = [];
  await runAt(everyMs(overMs / requests, overMs), async (from) => {
    for (let n = 0; n < commands; n++) await connected.get("greeting");
    latencies.push(performance.now() - from);
  });
  const { user, system } = process.cpuUsage(before);
  return { body: { latencies, cpuMs: (user + system) / 1_000 } };
};
