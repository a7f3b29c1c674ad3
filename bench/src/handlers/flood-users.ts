// A process that holds the active connections. They send requests all the time. Latencies are recorded on request, so that
// all phases have the same load and the same process.
import { setTimeout as pause } from "node:timers/promises";
import { Caller, type GatewayAddress } from "../flood/caller.js";
import { Latencies, type LatencyStats } from "../latencies.js";
import { serveParent } from "../serve-parent.js";

/** A message to the process of users. */
export type UsersMessage =
  | { readonly start: GatewayAddress & { readonly users: number; readonly everyMs: number } }
  | { readonly record: string; readonly forMs: number }
  | { readonly end: true };

/** Latencies recorded in one phase of one round, in ms. */
export interface RecordedPhase {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The users' results over all rounds. */
export interface UsersResult {
  /** All rounds of a phase together. */
  readonly phases: Readonly<Record<string, LatencyStats>>;
  /** Users that were refused, closed or left without a result at any time. */
  readonly lost: number;
}

const phases = new Map<string, Latencies>();
const users: Caller[] = [];
let recording: Latencies[] = [];
let lost = 0;
let over = false;

async function use(caller: Caller, everyMs: number): Promise<void> {
  while (!over) {
    const took = await caller.call();
    if (over) return;
    if (took === null) {
      lost++;
      return;
    }
    for (const latencies of recording) latencies.record(took);
    // At random, so that they do not fall into step and wait for each other.
    await pause(everyMs * (0.5 + Math.random()));
  }
}

async function record(phase: string, forMs: number): Promise<RecordedPhase> {
  const all = phases.get(phase) ?? new Latencies();
  phases.set(phase, all);
  const own = new Latencies();
  recording = [all, own];
  await pause(forMs);
  recording = [];
  const { count, p50, p99, max } = own.stats();
  return { count, p50, p99, max };
}

serveParent(async (message: UsersMessage): Promise<object> => {
  if ("start" in message) {
    const { users: count, everyMs, ...address } = message.start;
    for (let i = 0; i < count; i++) {
      const caller = new Caller(address);
      users.push(caller);
      void use(caller, everyMs);
      await pause(everyMs / count);
    }
    return { users: users.length };
  }
  if ("record" in message) return record(message.record, message.forMs);
  over = true;
  for (const user of users) user.close();
  const summaries = [...phases].map(([phase, latencies]) => [phase, latencies.stats()] as const);
  return { phases: Object.fromEntries(summaries), lost } satisfies UsersResult;
});
