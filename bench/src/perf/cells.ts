import { count } from "../results/format.js";
import type { Job } from "./jobs.js";

const IN_FLIGHT = [1, 4, 16, 50, 256];
const TOGETHER = [10, 100, 1_000];
const BYTES = [16, 1_000, 100_000, 1_000_000, 5_000_000];
/** The cells of a quick run. */
export const QUICK = /^(1|50) in flight|of 1,000|of 1,000,000 bytes|arrivals/;
/** The cells that are also measured through real servers. */
export const REAL = /^(1|50) in flight|^Promise\.all of 100$|^pipeline of 1,000 GETs/;

/** Something that every client does. */
export interface Cell {
  readonly name: string;
  readonly job: Job;
  /** Commands of one call. */
  readonly perCall: number;
  /** Whether the client has to implement `mixed()`. */
  readonly mixed?: boolean;
}

const cell = (name: string, job: Job, perCall = 1): Cell => ({ name, job, perCall });

/**
 * All that the scenario `throughput` does, `ms` long each.
 * @param rate arrivals per second of the open loop
 */
export const cellsOf = (ms: number, rate: number): Cell[] => {
  const sequential = (call: "pipeline" | "mixed" | "bytes" | "json" | "numbers", size: number) =>
    ({ kind: "sequential", call, size, ms }) as const;
  return [
    ...IN_FLIGHT.map((inFlight) => cell(`${inFlight} in flight`, { kind: "concurrent", inFlight, ms })),
    ...TOGETHER.map((commands) =>
      cell(`Promise.all of ${count(commands)}`, { kind: "together", commands, ms }),
    ),
    { ...cell("pipeline of 1,000 GETs", sequential("pipeline", 1_000), 1_000), mixed: false },
    { ...cell("pipeline of 1,000 mixed commands", sequential("mixed", 1_000), 1_000), mixed: true },
    ...BYTES.map((size) => cell(`GET of ${count(size)} bytes`, sequential("bytes", size))),
    cell("GET of 1 MB of JSON", sequential("json", 1_000_000)),
    cell("GET of 1 MB of JSON, mostly numbers", sequential("numbers", 1_000_000)),
    cell(`${rate} arrivals per second`, { kind: "arrivals", rate, ms }),
  ];
};
