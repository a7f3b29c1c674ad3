import { type BenchClient, isPeer } from "../client/bench-client.js";
import type { ColdWay } from "./cold.js";
import type { Job } from "./jobs.js";

/** A measurement for targets: fresh processes, a job of warm clients, or the connections at Redis of many instances. */
export type Measure =
  | { readonly kind: "connections"; readonly instances: number }
  | { readonly kind: "cold"; readonly way: ColdWay; readonly rttMs: number }
  | { readonly kind: "warm"; readonly job: Job; readonly sameCore?: boolean; readonly rttMs?: number };

/** The numbers of a measurement, besides its latencies. */
const NUMBERS = [
  "importMs",
  "cpuMs",
  "totalMs",
  "first",
  "warmMs",
  "usPerCommand",
  "cpuUs",
  "heapBefore",
  "heapAfter",
  "connections",
] as const;

/** A number of a measurement. */
export type Value = (typeof NUMBERS)[number] | "latencies";

/** A number of warmline's, relative to a peer's, and the limit of that ratio if there is one. */
export interface Target {
  readonly name: string;
  readonly measure: string;
  readonly value: Value;
  /** The peer, as shipped and with its best known settings; or the label of one of {@link OWN_NUMBERS}. */
  readonly peer: string;
  readonly limit?: number;
}

/** Numbers of warmline's own that others are compared with, by label. */
export const OWN_NUMBERS: Readonly<Record<string, Pick<Target, "measure" | "value">>> = {
  "warm p50": { measure: "far", value: "warmMs" },
  reused: { measure: "one", value: "latencies" },
  "without them": { measure: "refused, no caller", value: "latencies" },
  before: { measure: "heap", value: "heapBefore" },
};

/** Returns whether a limit is the least or the most: "at least so many times as fast" is the inverse ratio of times. */
export const boundOf = ({ value }: Target) => (value === "usPerCommand" ? "at least" : "at most");

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

/** Comparisons with every client, without a limit: where a peer is faster, its line says so. */
const COMPARISONS: readonly (readonly [name: string, measure: string, value: Value])[] = [
  ["import and first command, TLS", "start", "totalMs"],
  ["init and first command, nothing awaited", "init", "totalMs"],
  ["init with an awaited PING, and first command", "ping", "totalMs"],
  ["one at a time, p50, 1 ms away", "one, 1 ms away", "latencies"],
  ["CPU per command, 1 ms away", "one, 1 ms away", "cpuUs"],
  ["50 in flight", "50 in flight", "usPerCommand"],
  ["50 in flight, CPU per command", "50 in flight", "cpuUs"],
];

/** The limits. */
const LIMITS: readonly (readonly [...(typeof COMPARISONS)[number], peer: string, limit: number])[] = [
  ["import and first command, TLS", "start", "totalMs", "upstash", 0.6],
  ["import and first command, TLS, later goal", "start", "totalMs", "upstash", 0.45],
  ["import and first command, TLS", "start", "totalMs", "ioredis", 0.4],
  ["CPU time of import and first command", "start", "cpuMs", "upstash", 0.6],
  ["CPU time of import and first command, later goal", "start", "cpuMs", "upstash", 0.45],
  ["import alone", "start", "importMs", "upstash", 1],
  ["init and first command, nothing awaited", "init", "totalMs", "upstash", 0.6],
  ["first command after an awaited PING", "ping", "first", "upstash", 1],
  ["first command after an awaited PING, 10 ms away", "far", "first", "warm p50", 1.3],
  ["one at a time, p50, own cores", "one", "latencies", "raw", 1.15],
  ["one at a time, p50, same core", "one, same core", "latencies", "raw", 1.15],
  ["one at a time, p50, 1 ms away", "one, 1 ms away", "latencies", "ioredis", 1.1],
  ["CPU per command, own cores", "one", "cpuUs", "upstash", 0.2],
  ["CPU per command, same core", "one, same core", "cpuUs", "upstash", 0.2],
  ["CPU per command, 1 ms away", "one, 1 ms away", "cpuUs", "ioredis", 1.2],
  ["50 in flight", "50 in flight", "usPerCommand", "upstash", 6],
  ["50 in flight", "50 in flight", "usPerCommand", "ioredis", 1.5],
  ["50 in flight, CPU per command", "50 in flight", "cpuUs", "ioredis", 0.3],
  ["Promise.all of 10", "all of 10", "usPerCommand", "upstash", 3],
  ["Promise.all of 100", "all of 100", "usPerCommand", "upstash", 3],
  ["Promise.all of 1,000", "all of 1,000", "usPerCommand", "upstash", 3],
  ["pipeline of 1,000 mixed", "mixed", "usPerCommand", "upstash", 3],
  ["GET of 1 MB of JSON", "json", "latencies", "upstash", 0.4],
  ["GET of 1 MB of bytes", "bytes", "latencies", "upstash", 0.2],
  ["client recreated", "recreated", "latencies", "reused", 1.05],
  ["error reply, with the frames of its caller", "refused", "latencies", "without them", 1.15],
  ["heap after many commands", "heap", "heapAfter", "before", 1.02],
  ["heap after many commands", "heap", "heapAfter", "upstash", 0.7],
  ["connections at Redis for 1,000 instances", "instances", "connections", "ioredis", 0.01],
];

/** Returns the targets, and comparisons with the other clients that were measured. */
export function targetsOf(clients: readonly BenchClient[]): readonly Target[] {
  const shipped = clients.filter((client) => isPeer(client) && client.tunes === undefined);
  const names = new Set(shipped.map(({ name }) => name));
  const limits = LIMITS.map(
    ([name, measure, value, peer, limit]): Target => ({ name, measure, value, peer, limit }),
  );
  const hasLimit = (measure: string, value: Value, peer: string) =>
    limits.some((each) => each.measure === measure && each.value === value && each.peer === peer);
  const more = COMPARISONS.flatMap(([name, measure, value]) =>
    [...names]
      .filter((peer) => !hasLimit(measure, value, peer))
      .map((peer) => ({ name, measure, value, peer })),
  );
  return [...limits, ...more];
}

/** Returns whether some target needs a measurement of the client. */
export function isNeeded(measure: string, { name, tunes }: BenchClient, targets: readonly Target[]): boolean {
  if (name === "warmline") return true;
  return targets.some((each) => each.measure === measure && (each.peer === name || each.peer === tunes));
}

/** A sample in which nothing was measured. */
export const NOT_MEASURED = {
  ...(Object.fromEntries(NUMBERS.map((name) => [name, Number.NaN])) as Record<
    (typeof NUMBERS)[number],
    number
  >),
  warmUpSlices: Number.NaN,
  unsteady: 0,
  latencies: [] as readonly number[],
};
