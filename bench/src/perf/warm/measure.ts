import { shuffled } from "../../random.js";
import type { Node } from "../nodes.js";
import { type FixedServer, type Placement, startWorker, type Worker } from "../processes.js";
import type { Job, JobResult } from "../worker/jobs.js";

/** The clients that are measured warm; `raw` is the floor. */
export const WARM_CLIENTS = ["warmline", "upstash", "raw"] as const;
export type WarmClientName = (typeof WARM_CLIENTS)[number];

/** A client, and what it does over and over. */
export interface Workload {
  readonly client: WarmClientName;
  readonly job: Job;
}

/** Options of {@link measureWorkloads}. */
export interface WarmOptions {
  readonly node: Node;
  readonly placement: Placement;
  readonly endpoint: { readonly url: string; readonly token: string };
  readonly trust: FixedServer["trust"];
  readonly rounds: number;
  /** How long each client works before the first round, in ms. */
  readonly warmUpMs: number;
  readonly random: () => number;
}

/**
 * Runs every workload once per round, in shuffled order. Returns the results by workload and round. Each client has a
 * separate process. Workloads of one client share it: two processes of the same code differ by several per cent.
 */
export async function measureWorkloads(
  workloads: readonly Workload[],
  options: WarmOptions,
): Promise<JobResult[][]> {
  const workers = new Map<WarmClientName, Worker>();
  try {
    for (const { client } of workloads) {
      if (!workers.has(client)) workers.set(client, await startWorker(client, options));
    }
    for (const { client, job } of workloads) await workers.get(client)!.run(warmUp(job, options.warmUpMs));
    const taken = workloads.map((): JobResult[] => []);
    for (let round = 0; round < options.rounds; round++) {
      for (const at of shuffled([...workloads.keys()], options.random)) {
        const { client, job } = workloads[at]!;
        taken[at]!.push(await workers.get(client)!.run(job));
      }
    }
    return taken;
  } finally {
    for (const worker of workers.values()) worker.stop();
  }
}

/** Returns a longer or shorter version of the job that runs until its code is compiled. */
function warmUp(job: Job, ms: number): Job {
  return job.kind === "heap" ? { ...job, commands: Math.ceil(job.commands / 5) } : { ...job, ms };
}
