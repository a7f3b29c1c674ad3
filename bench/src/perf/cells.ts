import { count } from "../format.js";
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

/**
 * All that the scenario `throughput` does, `ms` long each.
 * @param rate arrivals per second of the open loop
 */
export const cellsOf = (ms: number, rate: number): Cell[] => [
  ...IN_FLIGHT.map((inFlight) => ({
    name: `${inFlight} in flight`,
    job: { kind: "concurrent", inFlight, ms } as const,
    perCall: 1,
  })),
  ...TOGETHER.map((commands) => ({
    name: `Promise.all of ${count(commands)}`,
    job: { kind: "together", commands, ms } as const,
    perCall: 1,
  })),
  ...(["pipeline", "mixed"] as const).map((call) => ({
    name: `pipeline of 1,000 ${call === "mixed" ? "mixed commands" : "GETs"}`,
    job: { kind: "sequential", call, size: 1_000, ms } as const,
    perCall: 1_000,
    mixed: call === "mixed",
  })),
  ...BYTES.map((size) => ({
    name: `GET of ${count(size)} bytes`,
    job: { kind: "sequential", call: "bytes", size, ms } as const,
    perCall: 1,
  })),
  { name: "GET of 1 MB of JSON", job: { kind: "sequential", call: "json", size: 1_000_000, ms }, perCall: 1 },
  {
    name: "GET of 1 MB of JSON, mostly numbers",
    job: { kind: "sequential", call: "numbers", size: 1_000_000, ms },
    perCall: 1,
  },
  { name: `${rate} arrivals per second`, job: { kind: "arrivals", rate, ms }, perCall: 1 },
];
