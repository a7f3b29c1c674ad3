import { setTimeout as pause } from "node:timers/promises";
import { type Instance, startInstance } from "warmline-testbed";
import { type FunctionSpec, handlerPath } from "../client/bench-client.js";
import { Gate } from "../util/gate.js";

/** Pauses between the invocations of an instance. */
export interface Pauses {
  /** The number of invocations. */
  readonly calls: number;
  readonly pauseMs: number;
  /** Whether the instance is frozen during the pause. It thaws with the invocation waiting. */
  readonly frozen: boolean;
  /** Timeout of an invocation in ms. Default 5,000: the other instances' pauses may become longer by this much. */
  readonly timeoutMs?: number;
  /** Returns the latency in ms from the handler's result. Default: the handler's whole time. */
  latencyOf?(result: unknown): number;
  /** Opens another way to the instance. `call` invokes it, and thaws it with the invocation waiting. Default: directly. */
  through?(instance: Instance): Promise<{ call(): ReturnType<Instance["invoke"]>; close(): Promise<void> }>;
  /** Is called after the first invocations, which do not count. */
  onWarm?(): void;
}

/** The measurements of an instance that pauses. */
export interface PausedRun {
  /** In ms. */
  readonly latencies: readonly number[];
  /** Invocations that failed, first ones included. */
  readonly failed: number;
  /** The longest pause in s; 0 without pauses. */
  readonly longestPauseS: number;
}

/** The number of first invocations that do not count. */
const WARM_UP = 3;

/** While one instance starts, runs an invocation or stops, all others of this process pause. */
const alone = new Gate(1);

/**
 * Runs an instance with a pause before each invocation. Without a pause nothing else runs between two invocations.
 * An instance that ended, as after a timeout, runs no further invocations.
 */
export async function runPaused(
  { handler, env }: FunctionSpec,
  trust: Readonly<Record<string, string>>,
  event: unknown,
  { calls, pauseMs, frozen, timeoutMs = 5_000, latencyOf, through, onWarm }: Pauses,
): Promise<PausedRun> {
  const latencies: number[] = [];
  let [failed, longestPauseS, pausedAt] = [0, 0, 0];
  let way: Awaited<ReturnType<NonNullable<typeof through>>> | undefined;
  const send = (instance: Instance) => way?.call() ?? instance.invoke(event);
  const start = async () => {
    const started = await startInstance({
      handler: handlerPath(handler),
      env: { ...env, ...trust },
      timeoutMs,
    });
    way = await through?.(started);
    for (let call = 0; call < WARM_UP && started.alive; call++) {
      const { error } = await send(started);
      if (error) failed++;
    }
    onWarm?.();
    if (pauseMs > 0) await beginPause(started);
    return started;
  };
  const beginPause = async (instance: Instance) => {
    if (frozen) await instance.freeze();
    pausedAt = performance.now();
  };
  const instance = await alone.run(start);
  const invoke = async () => {
    const invocation = send(instance);
    if (frozen && !way) await instance.thaw();
    const { error, result, durationMs } = await invocation;
    if (error) failed++;
    else latencies.push(latencyOf ? latencyOf(result) : durationMs);
  };
  const backToBack = async () => {
    for (let call = 0; call < calls && instance.alive; call++) await invoke();
  };
  const afterPause = async () => {
    if (!instance.alive) {
      failed++;
      return;
    }
    longestPauseS = Math.max(longestPauseS, (performance.now() - pausedAt) / 1_000);
    await invoke();
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
    await way?.close();
    await alone.run(() => instance.stop());
  }
}
