import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Work } from "./client.js";

/** Something to do for about so many ms, or so many times, and to measure. */
export type Job =
  /** One call after another. */
  | { readonly kind: "sequential"; readonly call: keyof Work; readonly size?: number; readonly ms: number }
  /** So many at a time, each followed by the next. */
  | { readonly kind: "concurrent"; readonly call: keyof Work; readonly inFlight: number; readonly ms: number }
  /** So many issued in one turn and awaited together, over and over. */
  | { readonly kind: "together"; readonly commands: number; readonly ms: number }
  /** One every `1 / rate` s, whatever became of those before; latencies count from when it was due. */
  | { readonly kind: "arrivals"; readonly rate: number; readonly ms: number }
  /** So many calls, ten at a time, and the heap before and after, when it has been swept. */
  | { readonly kind: "heap"; readonly commands: number };

/** The result of a job. */
export interface JobResult {
  /** Commands, or whole calls where a call is one request of many. */
  readonly count: number;
  readonly ms: number;
  /** CPU time of the process, all of its threads, in us. */
  readonly cpuUs: number;
  /** Latencies of single calls, in us; 0 if calls overlap. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes of heap in use before and after; 0 but for the job that looks. */
  readonly heapBefore: number;
  readonly heapAfter: number;
}

const none = { p50: 0, p99: 0, heapBefore: 0, heapAfter: 0 };

export async function run(job: Job, work: Work): Promise<JobResult> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const done = await DO[job.kind](job as never, work, began);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { ...none, ms, cpuUs: user + system, ...done };
}

type Done = Pick<JobResult, "count"> & Partial<JobResult>;
type Of<K extends Job["kind"]> = Extract<Job, { kind: K }>;

const DO: { [K in Job["kind"]]: (job: Of<K>, work: Work, began: number) => Promise<Done> } = {
  async sequential({ call, size = 0, ms }, work, began) {
    const latencies: number[] = [];
    let at = began;
    do {
      await work[call](size);
      const now = performance.now();
      latencies.push(now - at);
      at = now;
    } while (at - began < ms);
    return { count: latencies.length, ...percentiles(latencies) };
  },

  async concurrent({ call, inFlight, ms }, work, began) {
    let count = 0;
    const lane = async () => {
      do {
        await work[call](0);
        count++;
      } while (performance.now() - began < ms);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return { count };
  },

  async together({ commands, ms }, work, began) {
    let count = 0;
    do {
      await Promise.all(Array.from({ length: commands }, () => work.get()));
      count += commands;
    } while (performance.now() - began < ms);
    return { count };
  },

  async arrivals({ rate, ms }, work, began) {
    const latencies: number[] = [];
    const total = Math.max(1, Math.round((rate * ms) / 1_000));
    const running: Promise<void>[] = [];
    while (running.length < total) {
      const due = began + (running.length * 1_000) / rate;
      while (performance.now() < due) await turn();
      running.push(work.alone().then(() => void latencies.push(performance.now() - due)));
    }
    await Promise.all(running);
    return { count: total, ...percentiles(latencies) };
  },

  async heap({ commands }, work) {
    const heapBefore = heapInUse();
    for (let done = 0; done < commands; done += 10) {
      await Promise.all(Array.from({ length: 10 }, () => work.alone()));
    }
    await turn();
    return { count: commands, heapBefore, heapAfter: heapInUse() };
  },
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function percentiles(ms: number[]): Pick<JobResult, "p50" | "p99"> {
  const sorted = Float64Array.from(ms).sort();
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]! * 1_000;
  return { p50: at(0.5), p99: at(0.99) };
}

let sweep: (() => void) | undefined;

function heapInUse(): number {
  if (!sweep) {
    setFlagsFromString("--expose-gc");
    sweep = runInNewContext("gc") as () => void;
  }
  sweep();
  sweep();
  return process.memoryUsage().heapUsed;
}
