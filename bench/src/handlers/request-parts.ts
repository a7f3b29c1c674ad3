import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { BenchClient } from "../client/bench-client.js";
import { type Arm, openArm, type PartsTarget } from "../sockets/requests.js";
import { pageKeys, randomFrom } from "../util/random.js";

/** The event of an invocation: requests of one kind. */
export interface RequestPartsEvent extends PartsTarget {
  readonly arm: Arm;
  /** Requests, and those before them that do not count. */
  readonly requests: number;
  readonly warmUp: number;
  readonly commands: number;
  readonly pauseMs: number;
  readonly seed: number;
}

const { BENCH_CLIENT } = process.env;

/** Runs requests one after another, as a web process does. Returns their times in ms. */
export const handler = async (event: RequestPartsEvent): Promise<{ body: readonly number[] }> => {
  const random = randomFrom(event.seed);
  const own: BenchClient | undefined = BENCH_CLIENT
    ? (await import(pathToFileURL(BENCH_CLIENT).href)).default
    : undefined;
  const open = await openArm(event.arm, event, own?.connect({ ...event.gateway, keepAlive: true }));
  const latencies: number[] = [];
  for (let n = 0; n < event.warmUp + event.requests; n++) {
    const keys = pageKeys(event.commands, random);
    await sleep(n < event.warmUp ? 0 : event.pauseMs);
    const beganAt = performance.now();
    await open.request(keys);
    if (n >= event.warmUp) latencies.push(performance.now() - beganAt);
  }
  await open.close();
  return { body: latencies };
};
