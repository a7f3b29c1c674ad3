import type { BenchClient, Endpoint } from "../bench-client.js";
import type { Job, JobResult } from "./jobs.js";
import type { Node } from "./nodes.js";
import { type FixedServer, type Placement, startWorker, type Worker } from "./processes.js";

/** A job of one client, and what its process needs. */
export interface Workload {
  readonly client: BenchClient;
  readonly node: Node;
  readonly placement: Placement;
  readonly endpoint: Endpoint;
  readonly trust: FixedServer["trust"];
  readonly job: Job;
}

/**
 * The processes of workloads that are compared. Each client has a process of its own. Workloads of one client share it,
 * since two processes of the same code differ by several per cent.
 */
export class WorkerSession {
  readonly #workers = new Map<string, Worker>();

  /** Starts the processes, and runs each job for `warmUpMs` until its code is compiled. */
  async start(workloads: readonly Workload[], warmUpMs: number): Promise<void> {
    try {
      for (const workload of workloads) {
        const { name } = workload.client;
        if (!this.#workers.has(name)) this.#workers.set(name, await startWorker(name, workload));
      }
      for (const { client, job } of workloads) await this.run(client, warmUpOf(job, warmUpMs));
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  run(client: BenchClient, job: Job): Promise<JobResult> {
    return this.#workers.get(client.name)!.run(job);
  }

  stop(): void {
    for (const worker of this.#workers.values()) worker.stop();
    this.#workers.clear();
  }
}

/** Returns a longer or shorter version of the job. */
const warmUpOf = (job: Job, ms: number): Job =>
  job.kind === "heap" ? { ...job, commands: Math.ceil(job.commands / 5) } : { ...job, ms };

/**
 * Returns the throughput of a job, its CPU time per command in us, and its latencies in ms.
 * @param perCall the number of commands of one call
 */
export const throughputOf = ({ count, ms, cpuUs, latencies }: JobResult, perCall = 1) => ({
  perSecond: (count * perCall * 1_000) / ms,
  cpuUs: cpuUs / (count * perCall),
  latencies,
});
