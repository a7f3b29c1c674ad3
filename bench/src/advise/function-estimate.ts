import { COLD_SHARE, costOfMillion, PRICES } from "../results/prices.js";
import type { Result } from "../results/result.js";
import type { Question } from "../runner/question.js";
import type { Estimate } from "../statistics/estimate.js";
import { atLeastZero, between, constant, minus, plus, times } from "./intervals.js";

/** A series as results have it. */
interface Numbers {
  readonly p50: Estimate;
  readonly mean: Estimate;
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

interface OnWire {
  readonly tls: boolean;
  /** Bytes per command, and those to connect. */
  readonly sent: Numbers;
  readonly received: Numbers;
  readonly sentBefore?: Numbers;
  readonly receivedBefore?: Numbers;
}
interface Priced {
  readonly commands: number;
  readonly how: "sequential" | "pipeline";
  readonly sent: Numbers;
  readonly received: Numbers;
}

/** Bytes on the wire. */
interface Traffic {
  readonly sent: Estimate;
  readonly received: Estimate;
}

interface AfterPause {
  readonly command: "get" | "set";
  readonly idleS: number;
  readonly frozen: boolean;
  readonly latencies: Numbers;
}

/** Results by scenario. */
export type Evidence = ReadonlyMap<string, Pick<Result, "data" | "settings">>;

/** The scenarios without whose numbers there is no advice. */
export const NEEDED = ["distance", "memory", "sequential"] as const;

/** Dollars of a million invocations. */
export interface Dollars {
  /** Duration and requests on AWS Lambda. */
  readonly lambda: Estimate;
  /** Commands and bandwidth at Upstash, and data transfer to it; zero if Redis is one's own. */
  readonly redis: Estimate;
  readonly egress: Estimate;
  readonly total: Estimate;
}

/** Estimates of one client in the function in question, with their intervals; all times in ms. */
export interface FunctionEstimate {
  readonly label: string;
  /** One command over a warm connection. */
  readonly warm: Estimate;
  /** Extra time for connecting. */
  readonly connect: Estimate;
  /** Time of an invocation's commands one after another: over a kept connection, and over a new one. */
  readonly reused: Estimate;
  readonly ephemeral: Estimate;
  /** Time of the same commands as one pipeline over a kept connection. */
  readonly pipelined: Estimate;
  /** Init phase and first invocation. */
  readonly start: Estimate;
  /** Extra time of the first write after a freeze; undefined without data. */
  readonly afterFreeze: Estimate | undefined;
  /** Time of an invocation with its share of starts, if it begins with a write after a freeze. */
  readonly perInvocation: Estimate;
  /** Dollars of a million such invocations, without a gateway's. */
  readonly dollars: Dollars;
  /** Dollars per million invocations that a kept connection saves, compared with a new one each. */
  readonly reuseSaves: Estimate;
  /** Dollars per million invocations that a pipeline saves, compared with commands one after another. */
  readonly pipelineSaves: Estimate;
  /** Calls after a freeze that were lost, of how many, where the server's idle limit was the shorter; undefined without data. */
  readonly lostAfterFreeze: { readonly lost: number; readonly calls: number } | undefined;
  /** The parts of the question that no measurement reaches. */
  readonly beyond: readonly string[];
}

/** MB at which a function has a processor of its own: there the other scenarios were measured. */
const WHOLE_PROCESSOR_MB = 1_769;

/**
 * Puts the measured parts together for a client: distance gives the command and the connection, memory what little
 * processor adds to each, sequential what a pipeline's further commands take, idle what a pause adds, bytes and cost
 * how many bytes cross the network. A quick result among them makes all estimates too weak to decide anything.
 * @returns undefined where the client was not measured in the first three
 */
export function estimate(
  evidence: Evidence,
  question: Question,
  client: string,
): FunctionEstimate | undefined {
  const of = <T>(scenario: string) =>
    ((evidence.get(scenario)?.data ?? []) as (T & { client: string })[]).filter(
      (row) => row.client === client,
    );
  const distances = of<AtDistance>("distance").filter(({ tls }) => tls === question.tls);
  const sizes = of<AtSize>("memory");
  const sequences = of<InSequence>("sequential").filter(({ keepAlive }) => keepAlive);
  const isCompared = [true, false].every((kept) => distances.some(({ keepAlive }) => keepAlive === kept));
  if (!isCompared || sizes.length === 0 || sequences.length === 0) return undefined;

  const away = (keepAlive: boolean, rttMs = question.rttMs) =>
    between(
      distances.filter((row) => row.keepAlive === keepAlive).map((row) => [row.rttMs, row.warm.p50]),
      rttMs,
    );
  // Work takes as much longer as the share of a processor is smaller; more memory than was measured makes nothing faster.
  const measured = sizes.map(({ memoryMb }) => memoryMb);
  const sized = (memoryMb: number, value: (row: AtSize) => Estimate, reused: boolean) =>
    between(
      sizes.filter((row) => row.reused === reused).map((row) => [1 / row.memoryMb, value(row)]),
      1 / Math.min(memoryMb, Math.max(...measured)),
    );
  const mean = (memoryMb: number, reused: boolean) => sized(memoryMb, ({ warm }) => warm.mean, reused);
  const { memoryMb, ops, rttMs } = question;
  const smaller = (reused: boolean) => minus(mean(memoryMb, reused), mean(WHOLE_PROCESSOR_MB, reused));
  const isQuick = [...evidence.values()].some(({ settings }) => settings.quick);
  const strength: Estimate = { ...constant(0), n: isQuick ? 1 : Number.POSITIVE_INFINITY };
  const warm = plus(plus(away(true), atLeastZero(smaller(true))), strength);
  const dearer = atLeastZero(minus(smaller(false), smaller(true)));
  const connect = atLeastZero(plus(minus(away(false), away(true)), dearer));
  const pipeline = sequences.find(({ name }) => name === "pipeline")!;
  const one = sequences.find(({ name }) => name === "one")!;
  const further = times(
    atLeastZero(minus(pipeline.warm.p50, one.warm.p50)),
    (ops - 1) / (pipeline.commands - 1),
  );
  // Starts were measured over a way of this length; the first invocation connects.
  const startRtt = rttOf(evidence, "memory") ?? rttMs;
  const start = plus(
    sized(memoryMb, (row) => row.start.p50, true),
    minus(away(false), away(false, startRtt)),
  );
  const reused = times(warm, ops);
  const afterFreeze = extraAfterFreeze(of<AfterPause>("idle"), rttMs / (rttOf(evidence, "idle") ?? rttMs));
  const perInvocation = plus(plus(reused, times(start, COLD_SHARE)), afterFreeze ?? constant(0));
  const pipelined = plus(warm, further);
  const wire = of<OnWire>("bytes").find(({ tls }) => tls === question.tls);
  const command = trafficBy((each) => wire?.[each].mean ?? constant(0));
  const handshake = trafficBy((each) => wire?.[`${each}Before`]?.mean ?? constant(0));
  const commands = scale(command, ops);
  const furtherCommand = furtherTraffic(of<Priced>("cost")) ?? command;
  const unsent = trafficBy((each) => times(minus(command[each], furtherCommand[each]), ops - 1));
  // The price without the one per request: it is linear, so that a difference of times has the difference of dollars.
  const priceOf = (ms: Estimate, traffic: Traffic) =>
    minus(dollarsOf(ms, traffic, 0, question).total, constant(PRICES.lambda.perMillionRequests));
  return {
    label: distances[0]!.label,
    warm,
    connect,
    reused,
    ephemeral: plus(reused, connect),
    pipelined,
    start,
    afterFreeze,
    perInvocation,
    dollars: dollarsOf(perInvocation, plusTraffic(commands, scale(handshake, COLD_SHARE)), ops, question),
    reuseSaves: priceOf(plus(connect, strength), handshake),
    pipelineSaves: priceOf(minus(reused, pipelined), unsent),
    lostAfterFreeze: lostOf(of<Frozen>("zombie")),
    beyond: [
      ...outside(
        "a round trip",
        "ms",
        rttMs,
        distances.map((row) => row.rttMs),
      ),
      ...outside("a function", "MB", Math.min(memoryMb, Math.max(...measured)), measured),
    ],
  };
}

const rttOf = (evidence: Evidence, scenario: string): number | undefined =>
  (evidence.get(scenario)?.settings as { rttMs?: number } | undefined)?.rttMs || undefined;

/** Returns what the longest freeze adds to a write. It is round trips mostly, so it grows with them. */
function extraAfterFreeze(rows: readonly AfterPause[], farther: number): Estimate | undefined {
  const writes = rows.filter(({ command }) => command === "set");
  const warm = writes.find(({ idleS }) => idleS === 0);
  const frozen = writes.filter((row) => row.frozen).sort((a, b) => b.idleS - a.idleS)[0];
  if (!warm || !frozen) return undefined;
  return times(atLeastZero(minus(frozen.latencies.p50, warm.latencies.p50)), Math.max(1, farther));
}

const trafficBy = (of: (direction: keyof Traffic) => Estimate): Traffic => ({
  sent: of("sent"),
  received: of("received"),
});

const scale = (traffic: Traffic, by: number): Traffic => trafficBy((each) => times(traffic[each], by));

const plusTraffic = (a: Traffic, b: Traffic): Traffic => trafficBy((each) => plus(a[each], b[each]));

/** Returns the bytes of each command of a pipeline beyond the first; undefined without data. */
function furtherTraffic(rows: readonly Priced[]): Traffic | undefined {
  const one = rows.find(({ commands }) => commands === 1);
  const pipeline = rows.find(({ how }) => how === "pipeline");
  if (!one || !pipeline) return undefined;
  const more = trafficBy((each) => minus(pipeline[each].mean, one[each].mean));
  return scale(more, 1 / (pipeline.commands - one.commands));
}

/** Prices a million invocations. Bytes and commands cost something at Upstash alone. */
function dollarsOf(
  ms: Estimate,
  { sent, received }: Traffic,
  commands: number,
  { memoryMb, upstash }: Question,
): Dollars {
  const n = Math.min(ms.n, sent.n, received.n);
  const at = (end: "value" | "low" | "high") =>
    costOfMillion({
      ...{ ms: ms[end], memoryMb },
      ...(upstash ? { commands, bytes: received[end], sent: sent[end] } : { commands: 0, bytes: 0 }),
    });
  const [value, low, high] = [at("value"), at("low"), at("high")];
  const part = (name: "lambda" | "redis" | "egress"): Estimate => ({
    ...{ value: value[name], low: low[name], high: high[name], n },
  });
  const parts = { lambda: part("lambda"), redis: part("redis"), egress: part("egress") };
  return { ...parts, total: plus(plus(parts.lambda, parts.redis), parts.egress) };
}

function lostOf(rows: readonly Frozen[]): FunctionEstimate["lostAfterFreeze"] {
  const frozen = rows.filter(({ limitS }) => limitS < 300);
  if (frozen.length === 0) return undefined;
  const sum = (key: "calls" | "failed" | "hung") =>
    frozen.flatMap((row) => row[key].values).reduce((total, value) => total + value, 0);
  return { lost: sum("failed") + sum("hung"), calls: sum("calls") };
}

/** Returns a statement if a value lies outside of the measured ones. */
function outside(what: string, unit: string, value: number, measured: readonly number[]): string[] {
  const [least, most] = [Math.min(...measured), Math.max(...measured)];
  if (value >= least && value <= most) return [];
  return [`${what} of ${value} ${unit} is beyond the measured ${least} to ${most} ${unit}`];
}
