import type { BenchClient } from "../client/bench-client.js";
import type { Series } from "../statistics/series.js";
import type { Job, JobResult } from "./jobs.js";
import { type Place, startWorker, type Worker } from "./processes.js";
import { FULL_WARM_UP, QUICK_WARM_UP, type WarmUp, warmUp } from "./warm-up.js";

/** A job of one client, and what its process needs. */
interface Workload extends Place {
  readonly client: BenchClient;
  readonly job: Job;
}

/** The result of a job after a warm-up. */
type WarmResult = JobResult & { readonly warmUp: WarmUp };

/**
 * The processes of workloads that are compared. Each client has a process of its own. Workloads of one client share it,
 * since two processes of the same code differ by several per cent.
 */
export class WorkerSession {
  readonly #workers = new Map<string, Worker>();
  readonly #warmUps = new Map<string, WarmUp>();

  /** Starts the processes, and runs each job until its CPU time per command is steady. */
  async start(workloads: readonly Workload[], quick: boolean): Promise<void> {
    const limits = quick ? QUICK_WARM_UP : FULL_WARM_UP;
    try {
      for (const workload of workloads) {
        const { name } = workload.client;
        if (!this.#workers.has(name)) this.#workers.set(name, await startWorker(name, workload));
      }
      for (const { client, job } of workloads) {
        const run = (slice: Job) => this.#workers.get(client.name)!.run(slice);
        this.#warmUps.set(keyOf(client, job), await warmUp(run, job, limits));
      }
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** Runs a job. Returns its result, and how its warm-up ended. */
  async run(client: BenchClient, job: Job): Promise<WarmResult> {
    const result = await this.#workers.get(client.name)!.run(job);
    return { ...result, warmUp: this.#warmUps.get(keyOf(client, job))! };
  }

  stop(): void {
    for (const worker of this.#workers.values()) worker.stop();
    this.#workers.clear();
    this.#warmUps.clear();
  }
}

const keyOf = ({ name }: BenchClient, job: Job): string => `${name} ${JSON.stringify(job)}`;

/**
 * Returns the throughput of a job, its CPU time per command in us, its latencies in ms, and the slices of its warm-up.
 * @param perCall the number of commands of one call
 */
export const throughputOf = ({ count, ms, cpuUs, latencies, warmUp }: WarmResult, perCall = 1) => ({
  perSecond: (count * perCall * 1_000) / ms,
  cpuUs: cpuUs / (count * perCall),
  latencies,
  warmUpSlices: warmUp.slices,
  unsteady: Number(!warmUp.steady),
});

/** Notes on the warm-up, with the cases whose CPU time per command never became steady. */
export function warmUpNotes<T extends { readonly unsteady: Series }>(
  rows: readonly T[],
  nameOf: (row: T) => string,
): string[] {
  const { sliceMs, maxSlices } = FULL_WARM_UP;
  const unsteady = rows.filter((row) => row.unsteady.total > 0).map(nameOf);
  return [
    `Before it is measured a job runs in slices of ${sliceMs} ms until its CPU time per command is steady: the medians of the last four slices and of the four before differ by at most 5%. The limit is ${maxSlices} slices. It is the same for all clients.`,
    ...(unsteady.length > 0 ? [`Not steady after ${maxSlices} slices: ${unsteady.join("; ")}.`] : []),
  ];
}
