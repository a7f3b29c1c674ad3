import { type InstanceOptions, startInstance } from "warmline-testbed";
import type { FunctionSpec } from "./bench-client.js";

/** The value stored under `greeting`, which the measured functions read. */
export const GREETING = "hello from a warm connection";

/** Measurements of one instance from start to end; all times in ms. */
export interface InstanceRun {
  /** From starting the process to its first request for an invocation. */
  readonly initMs: number;
  /** The handler's own time in each invocation, the first one first. */
  readonly latencies: readonly number[];
  /** The body that each invocation returned. */
  readonly bodies: readonly unknown[];
  /** How its share of the processor was held, if it had one. */
  readonly throttle: string | undefined;
}

/** Options of {@link runInstance}. */
export interface RunInstanceOptions extends Omit<InstanceOptions, "handler" | "env"> {
  /** How many; by default as many as there are events. */
  readonly invocations?: number;
  /** The event of each invocation; the last one is used for all that follow. Default: one empty event. */
  readonly events?: readonly unknown[];
  /** The body that each invocation must return. Default: not checked. */
  readonly expected?: unknown;
  readonly trust?: Readonly<Record<string, string>>;
}

/**
 * Starts an instance, runs the invocations one after another, ends it.
 * @throws if an invocation fails or returns something else than expected: the numbers would mean nothing
 */
export async function runInstance(
  label: string,
  what: FunctionSpec,
  options: RunInstanceOptions,
): Promise<InstanceRun> {
  const { events = [{}], invocations = events.length, expected, trust, ...rest } = options;
  const instance = await startInstance({ ...rest, handler: what.handler, env: { ...what.env, ...trust } });
  try {
    const latencies: number[] = [];
    const bodies: unknown[] = [];
    for (let n = 0; n < invocations; n++) {
      const { result, error, durationMs } = await instance.invoke(events[Math.min(n, events.length - 1)]);
      const body = (result as { body?: unknown } | undefined)?.body;
      if (error || (expected !== undefined && body !== expected)) {
        const problem = error
          ? `${error.errorType}: ${error.errorMessage}`
          : `the answer was ${JSON.stringify(result)}`;
        throw new Error(`${label}: ${problem}\n${instance.output}`);
      }
      latencies.push(durationMs);
      bodies.push(body);
    }
    return { initMs: instance.initMs, latencies, bodies, throttle: instance.throttle };
  } finally {
    await instance.stop();
  }
}
