import { type BenchClient, isPeer } from "../bench-client.js";
import type { ColdWay } from "./cold.js";
import type { Job } from "./jobs.js";

/** A measurement for targets: fresh processes, a job of warm clients, or the connections at Redis of many instances. */
export type Measure =
  | { readonly kind: "connections"; readonly instances: number }
  | { readonly kind: "cold"; readonly way: ColdWay; readonly rttMs: number }
  | { readonly kind: "warm"; readonly job: Job; readonly sameCore?: boolean; readonly rttMs?: number };

/** A number of a measurement. */
export type Value =
  | "importMs"
  | "cpuMs"
  | "totalMs"
  | "first"
  | "warmMs"
  | "usPerCommand"
  | "cpuUs"
  | "latencies"
  | "heapBefore"
  | "heapAfter"
  | "connections";

/** A number of warmline's, relative to a peer's, and the limit of that ratio if there is one. */
export interface Target {
  readonly name: string;
  readonly measure: string;
  readonly value: Value;
  /** The peer, as shipped and with its best known settings; or another number of warmline's own. */
  readonly peer: string | { readonly measure: string; readonly value: Value; readonly label: string };
  readonly bound: "at most" | "at least";
  readonly limit?: number;
}

const BETWEEN_MS = 1;

/** Measurements of warmline alone, by the measurement whose process they share. */
export const OWN_MEASURES: Readonly<Record<string, string>> = {
  // The reused client is the baseline of the recreated one.
  recreated: "one",
  refused: "refused",
  "refused, no caller": "refused",
};

/** All measurements by name. */
export const measuresOf = (ms: number, quick: boolean): Record<string, Measure> => ({
  start: { kind: "cold", way: { name: "at once", phase: "at once", gapMs: 0 }, rttMs: 0 },
  init: { kind: "cold", way: { name: "init, as shipped", phase: "init", gapMs: 0 }, rttMs: 0 },
  ping: { kind: "cold", way: { name: "init with an awaited PING", phase: "ping", gapMs: 0 }, rttMs: 0 },
  far: { kind: "cold", way: { name: "init with an awaited PING", phase: "ping", gapMs: 0 }, rttMs: 10 },
  one: { kind: "warm", job: { kind: "sequential", call: "get", ms } },
  "one, same core": { kind: "warm", job: { kind: "sequential", call: "get", ms }, sameCore: true },
  "one, 1 ms away": { kind: "warm", job: { kind: "sequential", call: "get", ms: 3 * ms }, rttMs: BETWEEN_MS },
  "50 in flight": { kind: "warm", job: { kind: "concurrent", inFlight: 50, ms } },
  "all of 10": { kind: "warm", job: { kind: "together", commands: 10, ms } },
  "all of 100": { kind: "warm", job: { kind: "together", commands: 100, ms } },
  "all of 1,000": { kind: "warm", job: { kind: "together", commands: 1_000, ms } },
  mixed: { kind: "warm", job: { kind: "sequential", call: "mixed", size: 1_000, ms } },
  json: { kind: "warm", job: { kind: "sequential", call: "json", size: 1e6, ms } },
  bytes: { kind: "warm", job: { kind: "sequential", call: "bytes", size: 1e6, ms } },
  recreated: { kind: "warm", job: { kind: "sequential", call: "recreated", ms } },
  refused: { kind: "warm", job: { kind: "sequential", call: "refused", ms } },
  "refused, no caller": { kind: "warm", job: { kind: "sequential", call: "refused, no caller", ms } },
  heap: { kind: "warm", job: { kind: "heap", commands: quick ? 1_000 : 100_000 } },
  instances: { kind: "connections", instances: quick ? 100 : 1_000 },
});

const target = (
  name: string,
  [measure, value]: readonly [string, Value],
  peer: Target["peer"],
  bound: Target["bound"],
  limit: number,
): Target => ({ name, measure, value, peer, bound, limit });

/** Comparisons with every client, without a limit: where a peer is faster, its line says so. */
const COMPARISONS: readonly (readonly [
  name: string,
  measure: string,
  value: Value,
  bound: Target["bound"],
])[] = [
  ["import and first command, TLS", "start", "totalMs", "at most"],
  ["init and first command, nothing awaited", "init", "totalMs", "at most"],
  ["init with an awaited PING, and first command", "ping", "totalMs", "at most"],
  ["one at a time, p50, 1 ms away", "one, 1 ms away", "latencies", "at most"],
  ["CPU per command, 1 ms away", "one, 1 ms away", "cpuUs", "at most"],
  ["50 in flight", "50 in flight", "usPerCommand", "at least"],
  ["50 in flight, CPU per command", "50 in flight", "cpuUs", "at most"],
];

/** The limits. */
export const TARGETS: readonly Target[] = [
  target("import and first command, TLS", ["start", "totalMs"], "upstash", "at most", 0.6),
  target("import and first command, TLS, later goal", ["start", "totalMs"], "upstash", "at most", 0.45),
  target("import and first command, TLS", ["start", "totalMs"], "ioredis", "at most", 0.4),
  target("CPU time of import and first command", ["start", "cpuMs"], "upstash", "at most", 0.6),
  target("CPU time of import and first command, later goal", ["start", "cpuMs"], "upstash", "at most", 0.45),
  target("import alone", ["start", "importMs"], "upstash", "at most", 1),
  target("init and first command, nothing awaited", ["init", "totalMs"], "upstash", "at most", 0.6),
  target("first command after an awaited PING", ["ping", "first"], "upstash", "at most", 1),
  target(
    "first command after an awaited PING, 10 ms away",
    ["far", "first"],
    { measure: "far", value: "warmMs", label: "warm p50" },
    "at most",
    1.3,
  ),
  target("one at a time, p50, own cores", ["one", "latencies"], "raw", "at most", 1.15),
  target("one at a time, p50, same core", ["one, same core", "latencies"], "raw", "at most", 1.15),
  target("one at a time, p50, 1 ms away", ["one, 1 ms away", "latencies"], "ioredis", "at most", 1.1),
  target("CPU per command, own cores", ["one", "cpuUs"], "upstash", "at most", 0.2),
  target("CPU per command, same core", ["one, same core", "cpuUs"], "upstash", "at most", 0.2),
  target("CPU per command, 1 ms away", ["one, 1 ms away", "cpuUs"], "ioredis", "at most", 1.2),
  target("50 in flight", ["50 in flight", "usPerCommand"], "upstash", "at least", 6),
  target("50 in flight", ["50 in flight", "usPerCommand"], "ioredis", "at least", 1.5),
  target("50 in flight, CPU per command", ["50 in flight", "cpuUs"], "ioredis", "at most", 0.3),
  ...["10", "100", "1,000"].map((commands) =>
    target(`Promise.all of ${commands}`, [`all of ${commands}`, "usPerCommand"], "upstash", "at least", 3),
  ),
  target("pipeline of 1,000 mixed", ["mixed", "usPerCommand"], "upstash", "at least", 3),
  target("GET of 1 MB of JSON", ["json", "latencies"], "upstash", "at most", 0.4),
  target("GET of 1 MB of bytes", ["bytes", "latencies"], "upstash", "at most", 0.2),
  target(
    "client recreated",
    ["recreated", "latencies"],
    { measure: "one", value: "latencies", label: "reused" },
    "at most",
    1.05,
  ),
  target(
    "error reply, with the frames of its caller",
    ["refused", "latencies"],
    { measure: "refused, no caller", value: "latencies", label: "without them" },
    "at most",
    1.15,
  ),
  target(
    "heap after many commands",
    ["heap", "heapAfter"],
    { measure: "heap", value: "heapBefore", label: "before" },
    "at most",
    1.02,
  ),
  target("heap after many commands", ["heap", "heapAfter"], "upstash", "at most", 0.7),
  target(
    "connections at Redis for 1,000 instances",
    ["instances", "connections"],
    "ioredis",
    "at most",
    0.01,
  ),
];

/** Returns the targets, and comparisons with the other clients that were measured. */
export function targetsOf(clients: readonly BenchClient[]): readonly Target[] {
  const names = [
    ...new Set(
      clients.filter((client) => isPeer(client) && client.tunes === undefined).map(({ name }) => name),
    ),
  ];
  const more = COMPARISONS.flatMap(([name, measure, value, bound]) =>
    names
      .filter(
        (peer) =>
          !TARGETS.some((each) => each.measure === measure && each.value === value && each.peer === peer),
      )
      .map((peer): Target => ({ name, measure, value, peer, bound })),
  );
  return [...TARGETS, ...more];
}

/** Returns whether some target needs a measurement of the client. */
export function isNeeded(measure: string, { name, tunes }: BenchClient, targets: readonly Target[]): boolean {
  if (name === "warmline") return true;
  return targets.some((each) => each.measure === measure && (each.peer === name || each.peer === tunes));
}

/** A sample in which nothing was measured. */
export const NOT_MEASURED = {
  importMs: Number.NaN,
  cpuMs: Number.NaN,
  totalMs: Number.NaN,
  first: Number.NaN,
  warmMs: Number.NaN,
  usPerCommand: Number.NaN,
  cpuUs: Number.NaN,
  heapBefore: Number.NaN,
  heapAfter: Number.NaN,
  connections: Number.NaN,
  warmUpSlices: Number.NaN,
  unsteady: 0,
  latencies: [] as readonly number[],
};
