import type { Estimate as Measured } from "../estimate.js";
import type { Result } from "../result.js";
import type { Question } from "./question.js";

/** A series as results have it. */
interface Numbers {
  readonly p50: Measured;
  readonly mean: Measured;
}
interface AtDistance {
  readonly label: string;
  readonly rttMs: number;
  readonly tls: boolean;
  readonly keepAlive: boolean;
  readonly warm: Numbers;
}
interface AtSize {
  readonly memoryMb: number;
  readonly reused: boolean;
  readonly start: Numbers;
  readonly warm: Numbers;
}
interface InSequence {
  readonly name: "one" | "ten" | "together" | "pipeline";
  readonly commands: number;
  readonly keepAlive: boolean;
  readonly warm: Numbers;
}
interface Frozen {
  readonly limitS: number;
  readonly calls: { readonly values: readonly number[] };
  readonly failed: { readonly values: readonly number[] };
  readonly hung: { readonly values: readonly number[] };
}

/** Results by scenario. */
export type Evidence = ReadonlyMap<string, Pick<Result, "data" | "settings">>;

/** The scenarios without whose numbers there is no advice. */
export const NEEDED = ["distance", "memory", "sequential"] as const;

/** Estimated times of one client in the function in question; all times in ms. */
export interface Estimate {
  readonly client: string;
  readonly label: string;
  /** One command over a warm connection. */
  readonly warm: number;
  /** Extra time for connecting. */
  readonly connect: number;
  /** Time of an invocation's commands one after another: over a kept connection, and over a new one. */
  readonly reused: number;
  readonly ephemeral: number;
  /** Time of the same commands as one pipeline over a kept connection. */
  readonly pipelined: number;
  /** Init phase and first invocation. */
  readonly start: number;
  /** Calls after a freeze that were lost, of how many, where the server's idle limit was the shorter; undefined without data. */
  readonly lostAfterFreeze: { readonly lost: number; readonly calls: number } | undefined;
}

/** MB at which a function has a processor of its own: there the other scenarios were measured. */
const WHOLE_PROCESSOR_MB = 1_769;

/**
 * Puts the measured parts together for a client: distance gives the command and the connection, memory what little
 * processor adds to each, sequential what a pipeline's further commands take.
 * @returns undefined where the client was not measured in all three
 */
export function estimate(evidence: Evidence, question: Question, client: string): Estimate | undefined {
  const of = <T>(scenario: string) =>
    ((evidence.get(scenario)?.data ?? []) as (T & { client: string })[]).filter(
      (row) => row.client === client,
    );
  const distances = of<AtDistance>("distance").filter(({ tls }) => tls === question.tls);
  const sizes = of<AtSize>("memory");
  const sequences = of<InSequence>("sequential").filter(({ keepAlive }) => keepAlive);
  if (distances.length === 0 || sizes.length === 0 || sequences.length === 0) return undefined;

  const away = (keepAlive: boolean, rttMs = question.rttMs) =>
    between(
      distances.filter((row) => row.keepAlive === keepAlive).map((row) => [row.rttMs, row.warm.p50.value]),
      rttMs,
    );
  // Work takes as much longer as the share of a processor is smaller; more memory than was measured makes nothing faster.
  const largest = Math.max(...sizes.map(({ memoryMb }) => memoryMb));
  const sized = (memoryMb: number, value: (row: AtSize) => number, reused: boolean) =>
    between(
      sizes.filter((row) => row.reused === reused).map((row) => [1 / row.memoryMb, value(row)]),
      1 / Math.min(memoryMb, largest),
    );
  const mean = (memoryMb: number, reused: boolean) => sized(memoryMb, ({ warm }) => warm.mean.value, reused);
  const { memoryMb, ops } = question;
  const slower = Math.max(0, mean(memoryMb, true) - mean(WHOLE_PROCESSOR_MB, true));
  const dearer =
    mean(memoryMb, false) -
    mean(memoryMb, true) -
    (mean(WHOLE_PROCESSOR_MB, false) - mean(WHOLE_PROCESSOR_MB, true));
  const warm = away(true) + slower;
  const connect = Math.max(0, away(false) - away(true) + Math.max(0, dearer));
  // Starts were measured over a way of this length; the first invocation connects.
  const { rttMs = question.rttMs } = evidence.get("memory")!.settings as { rttMs?: number };
  const p50 = (name: InSequence["name"]) => sequences.find((row) => row.name === name)!;
  const pipeline = p50("pipeline");
  const further = Math.max(
    0,
    (pipeline.warm.p50.value - p50("one").warm.p50.value) / (pipeline.commands - 1),
  );
  const frozen = of<Frozen>("zombie").filter(({ limitS }) => limitS < 300);
  const sum = (key: "calls" | "failed" | "hung") =>
    frozen.flatMap((row) => row[key].values).reduce((total, value) => total + value, 0);
  return {
    client,
    label: distances[0]!.label,
    warm,
    connect,
    reused: ops * warm,
    ephemeral: ops * warm + connect,
    pipelined: warm + (ops - 1) * further,
    start: sized(memoryMb, ({ start }) => start.p50.value, true) + away(false) - away(false, rttMs),
    lostAfterFreeze:
      frozen.length === 0 ? undefined : { lost: sum("failed") + sum("hung"), calls: sum("calls") },
  };
}

/** The value at a place between measured ones, on a straight line; beyond them, that of the nearest two's line. */
export function between(points: readonly (readonly [at: number, value: number])[], at: number): number {
  const sorted = [...points].sort(([a], [b]) => a - b);
  if (sorted.length === 1) return sorted[0]![1];
  const next = sorted.findIndex(([place]) => place >= at);
  const upper = next < 0 ? sorted.length - 1 : Math.max(1, next);
  const [[x0, y0], [x1, y1]] = [sorted[upper - 1]!, sorted[upper]!];
  return y0 + ((at - x0) / (x1 - x0)) * (y1 - y0);
}
