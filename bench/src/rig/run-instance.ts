import { type Instance, type InstanceOptions, startInstance } from "warmline-testbed";
import { type FunctionSpec, handlerPath } from "../client/bench-client.js";

/** The value stored under `greeting`, which the measured functions read. */
export const GREETING = "hello from a warm connection";

/** Measurements of one instance from start to end; all times in ms. */
export interface InstanceRun {
  /** From process start to the first request for an invocation. */
  readonly init: number;
  /** The handler's time in the first invocation, and in each later one. */
  readonly first: number;
  readonly warm: readonly number[];
  /** The body that each invocation returned. */
  readonly bodies: readonly unknown[];
  /** The method of the CPU limit, if there was one. */
  readonly throttle: string | undefined;
}

/** Options of {@link runInstance}. */
export interface RunInstanceOptions extends Omit<InstanceOptions, "handler" | "env"> {
  /** Number of invocations. Default: the number of events. */
  readonly invocations?: number;
  /** The event of each invocation; the last one is repeated. Default: one empty event. */
  readonly events?: readonly unknown[];
  /** The body that each invocation must return. Default: not checked. */
  readonly expected?: unknown;
  readonly trust?: Readonly<Record<string, string>>;
  /** Is called after each invocation with its number, from 0. */
  onInvoked?(call: number): void;
}

/**
 * Starts an instance, runs the invocations one after another and stops it. The first event waits for the end of the init phase, as
 * in an on-demand start.
 * @throws if an invocation fails or returns another value than expected: its numbers would be meaningless
 */
export async function runInstance(
  label: string,
  what: FunctionSpec,
  options: RunInstanceOptions,
): Promise<InstanceRun> {
  const { instance, run } = await beginInstance(label, what, options);
  await instance.stop();
  return run;
}

/** Does what {@link runInstance} does, but leaves the instance running: the caller stops it. @throws as {@link runInstance} */
export async function beginInstance(
  label: string,
  what: FunctionSpec,
  options: RunInstanceOptions,
): Promise<{ readonly instance: Instance; readonly run: InstanceRun }> {
  const { events = [{}], invocations = events.length, expected, trust, onInvoked, ...rest } = options;
  const instance = await startInstance({
    ...rest,
    handler: handlerPath(what.handler),
    env: { ...what.env, ...trust },
    firstEvent: events[0],
  });
  try {
    const latencies: number[] = [];
    const bodies: unknown[] = [];
    for (let n = 0; n < invocations; n++) {
      const waiting = n === 0 ? instance.first : undefined;
      const event = events[Math.min(n, events.length - 1)];
      const { result, error, durationMs } = await (waiting ?? instance.invoke(event));
      const body = (result as { body?: unknown } | undefined)?.body;
      if (error || (expected !== undefined && body !== expected)) {
        const problem = error
          ? `${error.errorType}: ${error.errorMessage}`
          : `the result was ${JSON.stringify(result)}`;
        throw new Error(`${label}: ${problem}\n${instance.output}`);
      }
      latencies.push(durationMs);
      bodies.push(body);
      onInvoked?.(n);
    }
    const [first, ...warm] = latencies as [number, ...number[]];
    const { initMs: init, throttle } = instance;
    return { instance, run: { init, first, warm, bodies, throttle } };
  } catch (error) {
    await instance.stop();
    throw error;
  }
}
