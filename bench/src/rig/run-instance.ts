import { type Instance, type InstanceOptions, type Invocation, startInstance } from "warmline-testbed";
import { type FunctionSpec, handlerPath } from "../client/bench-client.js";
import { allEnded } from "../util/promises.js";
import { type Defer, started } from "./rig.js";

/** The value stored under `greeting`, which the measured functions read. */
export const GREETING = "hello from a warm connection";

interface RunInstanceOptions extends Omit<InstanceOptions, "handler" | "env"> {
  /** Number of invocations. Default: the number of events. */
  readonly invocations?: number;
  /** The event of each invocation; the last one is repeated. Default: one empty event. */
  readonly events?: readonly unknown[];
  /** The body that each invocation must return. Default: not checked. */
  readonly expected?: unknown;
  /** Called after each invocation with its number, from 0. */
  onInvoked?(call: number): void;
}

/**
 * Starts an instance, runs the invocations one after another and stops it. The first event waits for the end of the init phase, as
 * in an on-demand start.
 * @returns `init`: time in ms from the start of the process to its first request for an invocation. `first` and `warm`: time in ms of
 * the handler in the first and in each later invocation. `bodies`: what each returned. `throttle`: how the CPU was limited, if it was
 * @throws if an invocation fails or returns another value than expected: its numbers would be meaningless
 */
export async function runInstance(label: string, spec: FunctionSpec, options: RunInstanceOptions) {
  const { instance, run } = await beginInstance(label, spec, options);
  await instance.stop();
  return run;
}

/** Does what {@link runInstance} does, but leaves the instance running: the caller stops it. @throws as {@link runInstance} */
export async function beginInstance(label: string, spec: FunctionSpec, options: RunInstanceOptions) {
  const { events = [{}], invocations = events.length, expected, onInvoked, ...others } = options;
  const instance = await startInstance({ ...others, ...spec, firstEvent: events[0] });
  try {
    const latencies: number[] = [];
    const bodies: unknown[] = [];
    for (let n = 0; n < invocations; n++) {
      const waiting = n === 0 ? instance.first : undefined;
      const invocation = await (waiting ?? instance.invoke(events[Math.min(n, events.length - 1)]));
      const body = bodyOf(invocation, label, instance);
      if (expected !== undefined && body !== expected)
        throw new Error(`${label}: the result was ${JSON.stringify(invocation.result)}\n${instance.output}`);
      latencies.push(invocation.durationMs);
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

export type Body<Handler extends (event: never) => Promise<{ body: unknown }>> = Awaited<
  ReturnType<Handler>
>["body"];

/** Returns the body that an invocation returned. @throws if it failed */
export function bodyOf({ result, error }: Invocation, label: string, instance: Instance): unknown {
  if (error) throw new Error(`${label}: ${error.errorType}: ${error.errorMessage}\n${instance.output}`);
  return (result as { body?: unknown } | undefined)?.body;
}

/** Invokes a frozen instance: it thaws with the event waiting, as on Lambda. */
export async function invokeFrozen(instance: Instance, event: unknown): Promise<Invocation> {
  const invocation = instance.invoke(event);
  await instance.thaw();
  return invocation;
}

/** Simulates users that send requests at random times. */
export const USERS: FunctionSpec = { handler: handlerPath("sparse-users"), env: {} };

/** Starts instances that each run one invocation and stay until `defer` stops them. `done` resolves after all invocations. */
export async function startInstances(
  label: string,
  spec: FunctionSpec,
  { count, event, timeoutMs }: Readonly<{ count: number; event?: unknown; timeoutMs?: number }>,
  defer: Defer,
) {
  const start = () => started(startInstance({ ...spec, timeoutMs }), defer);
  const instances = await allEnded(Array.from({ length: count }, start));
  const invoke = async (instance: Instance) => bodyOf(await instance.invoke(event), label, instance);
  return { done: Promise.all(instances.map(invoke)) };
}
