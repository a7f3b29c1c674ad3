import type { ConnectedClient } from "../client/bench-client.js";

const keys = new Map<number, string[]>();
const keysOf = (size: number): string[] => {
  if (!keys.has(size)) keys.set(size, Array(size).fill("greeting"));
  return keys.get(size)!;
};
/** JSON is parsed by the client, or else here as its user has to. */
const parsed = async (value: Promise<unknown>) => {
  const found = await value;
  return typeof found === "string" ? JSON.parse(found) : found;
};

/** The operations that a job repeats. `size` is a number of commands, or of bytes. */
const CALLS = {
  get: (client: ConnectedClient) => client.get("greeting"),
  json: (client: ConnectedClient, size: number) => parsed(client.get(`json:${size}`)),
  bytes: (client: ConnectedClient, size: number) => client.bytes(`text:${size}`),
  pipeline: (client: ConnectedClient, size: number) => client.pipeline(keysOf(size)),
};

/** Work that is done for about `ms`, and measured. */
export type Job = { readonly ms: number } & (
  | { readonly kind: "sequential"; readonly call: keyof typeof CALLS; readonly size?: number }
  /** `inFlight` GETs at a time. Each is followed by the next. */
  | { readonly kind: "concurrent"; readonly inFlight: number }
  /** A GET every `1 / rate` s, whether or not earlier ones have ended. Latencies count from the time at which it was due. */
  | { readonly kind: "arrivals"; readonly rate: number }
);

export interface JobResult {
  /** Commands, or whole calls where a call is one request of many. */
  readonly count: number;
  readonly ms: number;
  /** CPU time of the process, all of its threads, in us. */
  readonly cpuUs: number;
  /** Latencies of single calls in ms. Empty if calls overlap in one turn. */
  readonly latencies: readonly number[];
}

export async function runJob(job: Job, client: ConnectedClient): Promise<JobResult> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const done = await DO[job.kind](job as never, client, began);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { latencies: [], ms, cpuUs: user + system, ...done };
}

type Done = Pick<JobResult, "count"> & Partial<JobResult>;
type Of<K extends Job["kind"]> = Extract<Job, { kind: K }>;

const DO: { [K in Job["kind"]]: (job: Of<K>, client: ConnectedClient, began: number) => Promise<Done> } = {
  async sequential({ call, size = 0, ms }, client, began) {
    const latencies: number[] = [];
    let at = began;
    do {
      await CALLS[call](client, size);
      const now = performance.now();
      latencies.push(now - at);
      at = now;
    } while (at - began < ms);
    return { count: latencies.length, latencies };
  },

  async concurrent({ inFlight, ms }, client, began) {
    let count = 0;
    const lane = async () => {
      do {
        await client.get("greeting");
        count++;
      } while (performance.now() - began < ms);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return { count };
  },

  async arrivals({ rate, ms }, client, began) {
    const latencies: number[] = [];
    const total = Math.max(1, Math.round((rate * ms) / 1_000));
    const running: Promise<void>[] = [];
    while (running.length < total) {
      const due = began + (running.length * 1_000) / rate;
      while (performance.now() < due) await turn();
      running.push(client.get("greeting").then(() => void latencies.push(performance.now() - due)));
    }
    await Promise.all(running);
    // The loop above spins until the next call is due, so the CPU time would be the loop's.
    return { count: total, latencies, cpuUs: Number.NaN };
  },
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
