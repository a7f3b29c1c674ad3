import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { client, options } from "../client/function-client.js";
import { everyMs, runAt } from "../util/schedule.js";

/** Requests that one instance serves at a time. */
export interface FluidEvent {
  readonly requests: number;
  /** The time in ms over which they arrive, evenly. */
  readonly overMs: number;
  /** GETs of each request, one after another. */
  readonly commands: number;
  /** Worker threads that share the requests, each with a client of its own. Absent: the main thread serves them. */
  readonly threads?: number | undefined;
}

const connected = client.connect({ ...options, keepAlive: true });

const workers: Worker[] = [];

/** Serves several requests at once. Returns their times from when each was due, and the CPU time of all, in ms. */
export const handler = async (event: FluidEvent) => {
  const before = process.cpuUsage();
  const { threads } = event;
  const latencies = threads === undefined ? await serve(event) : await serveOnThreads(event, threads);
  const { user, system } = process.cpuUsage(before);
  return { body: { latencies, cpuMs: (user + system) / 1_000 } };
};

async function serve({ requests, overMs, commands }: FluidEvent): Promise<number[]> {
  const latencies: number[] = [];
  await runAt(everyMs(overMs / requests, overMs), async (from) => {
    for (let n = 0; n < commands; n++) await connected.get("greeting");
    latencies.push(performance.now() - from);
  });
  return latencies;
}

async function serveOnThreads(event: FluidEvent, threads: number): Promise<number[]> {
  while (workers.length < threads) workers.push(new Worker(fileURLToPath(import.meta.url)));
  const served = workers.map(async (worker) => {
    worker.postMessage({ ...event, requests: event.requests / threads });
    const [latencies] = await once(worker, "message");
    return latencies as number[];
  });
  return (await Promise.all(served)).flat();
}

if (!isMainThread)
  parentPort!.on("message", async (event: FluidEvent) => parentPort!.postMessage(await serve(event)));
