import { totalmem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { type Instance, type Invocation, startInstance } from "warmline-testbed";
import type { FunctionSpec } from "../client/bench-client.js";
import { Gate } from "../util/gate.js";
import { invokeFrozen } from "./run-instance.js";

/**
 * The instances that pause at once, as many as fit into memory: each is a process of its own, of 20 MB to 60 MB. At most 180: with
 * 360, a kernel that tracks page accesses (DAMON) used over a tenth of two processors.
 */
export const PAUSING_LANES = Math.max(16, Math.min(180, Math.floor(totalmem() / 2 ** 26)));

export interface Pauses {
  readonly calls: number;
  readonly pauseMs: number;
  /** Whether the instance is frozen during the pause. It thaws with the invocation waiting. */
  readonly frozen: boolean;
  /** Timeout of an invocation in ms. Default 5,000: the other instances' pauses may become longer by this much. */
  readonly timeoutMs?: number;
  /** Returns the latency in ms from the handler's result. Default: the handler's whole time. */
  latencyOf?(result: unknown): number;
  /** Invokes the instance, and thaws it if it is frozen. Default: directly. */
  invoke?(instance: Instance): Promise<Invocation>;
  /** Is called after the first invocations, which do not count. */
  onWarm?(): void;
}

const WARM_UP = 3;

/** While one instance starts, runs an invocation or stops, all others of this process pause. */
const alone = new Gate(1);

/**
 * Runs an instance with a pause before each invocation. Without a pause nothing else runs between two invocations.
 * An instance that ended, as after a timeout, runs no further invocations.
 * @returns the latencies in ms; the number of invocations that failed, first ones included; the longest pause in s
 */
export async function runPaused(spec: FunctionSpec, event: unknown, pauses: Pauses) {
  const { calls, pauseMs, frozen, timeoutMs = 5_000, latencyOf, onWarm } = pauses;
  const latencies: number[] = [];
  let [failed, longestPauseS, pausedAt] = [0, 0, 0];
  const { invoke = (instance) => (frozen ? invokeFrozen(instance, event) : instance.invoke(event)) } = pauses;
  const beginPause = async (instance: Instance) => {
    if (frozen) await instance.freeze();
    pausedAt = performance.now();
  };
  const instance = await alone.run(async () => {
    const started = await startInstance({ ...spec, timeoutMs });
    for (let call = 0; call < WARM_UP && started.alive; call++) {
      const { error } = await invoke(started);
      if (error) failed++;
    }
    onWarm?.();
    if (pauseMs > 0) await beginPause(started);
    return started;
  });
  const measure = async () => {
    const { error, result, durationMs } = await invoke(instance);
    if (error) failed++;
    else latencies.push(latencyOf ? latencyOf(result) : durationMs);
  };
  const backToBack = async () => {
    for (let call = 0; call < calls && instance.alive; call++) await measure();
  };
  const afterPause = async () => {
    if (!instance.alive) {
      failed++;
      return;
    }
    longestPauseS = Math.max(longestPauseS, (performance.now() - pausedAt) / 1_000);
    await measure();
    await beginPause(instance);
  };
  try {
    if (pauseMs === 0) await alone.run(backToBack);
    for (let call = 0; pauseMs > 0 && call < calls && instance.alive; call++) {
      await pause(pauseMs);
      // Before instances that are to start, so that the pause is not much longer.
      await alone.run(afterPause, true);
    }
    return { latencies, failed, longestPauseS };
  } finally {
    await alone.run(() => instance.stop());
  }
}
