import type { Job } from "../worker/jobs.js";
import { WARM_CLIENTS, type WarmClientName } from "./measure.js";

/** Something that every client does in turn. */
export interface Cell {
  readonly name: string;
  readonly group: "in flight" | "Promise.all" | "values" | "arrivals" | "gateway";
  readonly job: Job;
  /** Commands that one call of the job carries. */
  readonly commandsPerCall: number;
  readonly clients: readonly WarmClientName[];
}

const IN_FLIGHT = [1, 4, 16, 50, 256];
const TOGETHER = [10, 100, 1_000];
const BYTES = [16, 1_000, 100_000, 1_000_000, 5_000_000];

const clients = WARM_CLIENTS;
const NO_FLOOR: readonly WarmClientName[] = ["warmline", "upstash"];

/**
 * All that the scenario `throughput` does, `ms` long each.
 * @param quick the ends and cases that the summary names, for a quick run
 * @param rate arrivals per second of the open loop
 */
export function cellsOf(ms: number, quick: boolean, rate: number): Cell[] {
  const one = { commandsPerCall: 1, clients };
  const some = (all: readonly number[], few: readonly number[]) => (quick ? few : all);
  return [
    ...some(IN_FLIGHT, [1, 50]).map(
      (inFlight): Cell => ({
        ...one,
        name: `${inFlight} in flight, not batched`,
        group: "in flight",
        job: { kind: "concurrent", call: "alone", inFlight, ms },
      }),
    ),
    ...some(TOGETHER, [1_000]).map(
      (commands): Cell => ({
        ...one,
        clients: NO_FLOOR,
        name: `Promise.all of ${commands}, batched`,
        group: "Promise.all",
        job: { kind: "together", commands, ms },
      }),
    ),
    {
      name: "pipeline of 1,000 mixed commands",
      group: "Promise.all",
      job: { kind: "sequential", call: "mixed", size: 1_000, ms },
      commandsPerCall: 1_000,
      clients: NO_FLOOR,
    },
    ...some(BYTES, [16, 1_000_000]).map(
      (size): Cell => ({
        ...one,
        name: `GET of ${size.toLocaleString("en")} bytes`,
        group: "values",
        job: { kind: "sequential", call: "bytes", size, ms },
      }),
    ),
    {
      ...one,
      name: "GET of 1 MB of JSON",
      group: "values",
      job: { kind: "sequential", call: "json", size: 1_000_000, ms },
    },
    {
      ...one,
      name: "GET of 1 MB of JSON, mostly numbers",
      group: "values",
      job: { kind: "sequential", call: "numbers", size: 1_000_000, ms },
    },
    { ...one, name: `${rate} arrivals per second`, group: "arrivals", job: { kind: "arrivals", rate, ms } },
  ];
}

/** Returns whether a cell is also measured through the real gateway. */
export const isForGateway = ({ name }: Cell) =>
  /^(1|50) in flight|^Promise\.all of 100,|^pipeline/.test(name);
