import { setTimeout as pause } from "node:timers/promises";
import { startInstance } from "warmline-testbed";
import { type FunctionSpec, handlerPath } from "./bench-client.js";
import { Gate } from "./gate.js";

/** Pauses between the invocations of an instance. */
export interface Pauses {
  /** The number of invocations. */
  readonly calls: number;
  readonly pauseMs: number;
  /** Whether the instance is frozen during the pause. It thaws with the invocation waiting. */
  readonly frozen: boolean;
  /** Returns the latency in ms from the handler's result. Default: the handler's whole time. */
  latencyOf?(result: unknown): number;
}

/** The number of first invocations that do not count. */
const WARM_UP = 3;

/** While one instance starts, runs an invocation or stops, all others of this process pause. */
const alone = new Gate(1);

/**
 * Runs an instance with a pause before each invocation. Without a pause nothing else runs between two invocations.
 * @returns latencies in ms, and how many invocations failed
 */
export async function runPaused(
  { handler, env }: FunctionSpec,
  trust: Readonly<Record<string, string>>,
  event: unknown,
  { calls, pauseMs, frozen, latencyOf }: Pauses,
): Promise<{ readonly latencies: readonly number[]; readonly failed: number }> {
  const instance = await alone.run(async () => {
    const path = handlerPath(handler);
    const started = await startInstance({ handler: path, env: { ...env, ...trust }, timeoutMs: 20_000 });
    for (let call = 0; call < WARM_UP; call++) await started.invoke(event);
    return started;
  });
  const latencies: number[] = [];
  let failed = 0;
  const invoke = async () => {
    const invocation = instance.invoke(event);
    if (frozen) await instance.thaw();
    const { error, result, durationMs } = await invocation;
    if (error) failed++;
    else latencies.push(latencyOf ? latencyOf(result) : durationMs);
  };
  const backToBack = async () => {
    for (let call = 0; call < calls && instance.alive; call++) await invoke();
  };
  try {
    if (pauseMs === 0) await alone.run(backToBack);
    for (let call = 0; pauseMs > 0 && call < calls && instance.alive; call++) {
      if (frozen) await alone.run(() => instance.freeze());
      await pause(pauseMs);
      await alone.run(invoke);
    }
    return { latencies, failed };
  } finally {
    await alone.run(() => instance.stop());
  }
}
