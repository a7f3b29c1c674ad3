import { count } from "../results/present.js";
import type { Job } from "./jobs.js";

const IN_FLIGHT = [1, 10, 50];
const PIPELINES = [50, 1_000];
const BYTES = [1_000, 1_000_000];
/** The cells of a quick run. */
export const QUICK = /^(1|50) in flight$|of 1,000 GETs|of 1,000,000 bytes|arrivals/;
/** The cells that are also measured through real servers. */
export const REAL = /^(1|50) in flight$|^pipeline of/;
/** The cells that are also measured over longer round trips. */
export const FAR = /^\d+ in flight$/;

/** Something that every client does. */
export interface Cell {
  readonly name: string;
  readonly job: Job;
  /** Commands of one call. */
  readonly perCall: number;
  /** Whether each command is a request of its own. Default: as the client ships. */
  readonly single?: boolean;
}

const cell = (name: string, job: Job, perCall = 1): Cell => ({ name, job, perCall });

/**
 * All that the scenario `throughput` does, `ms` long each.
 * @param rate arrivals per second of the open loop
 */
export const cellsOf = (ms: number, rate: number): Cell[] => {
  const sequential = (call: "pipeline" | "bytes" | "json", size: number) =>
    ({ kind: "sequential", call, size, ms }) as const;
  return [
    ...IN_FLIGHT.map((inFlight) => cell(`${inFlight} in flight`, { kind: "concurrent", inFlight, ms })),
    { ...cell("50 in flight, a request each", { kind: "concurrent", inFlight: 50, ms }), single: true },
    ...PIPELINES.map((size) => cell(`pipeline of ${count(size)} GETs`, sequential("pipeline", size), size)),
    ...BYTES.map((size) => cell(`GET of ${count(size)} bytes`, sequential("bytes", size))),
    cell("GET of 1 MB of JSON", sequential("json", 1_000_000)),
    cell(`${rate} arrivals per second`, { kind: "arrivals", rate, ms }),
  ];
};
