import { setTimeout as sleep } from "node:timers/promises";
import { client, options } from "../client/function-client.js";

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
  const beganAt = performance.now();
  const serve = async (number: number) => {
    const due = (number * overMs) / requests;
    await sleep(due);
    // A timer may fire a little early; then the request counts from its start.
    const from = Math.min(beganAt + due, performance.now());
    for (let n = 0; n < commands; n++) await connected.get("greeting");
    return performance.now() - from;
  };
  const latencies = await Promise.all(Array.from({ length: requests }, (_, number) => serve(number)));
  const { user, system } = process.cpuUsage(before);
  return { body: { latencies, cpuMs: (user + system) / 1_000 } };
};
