import { setTimeout as pause } from "node:timers/promises";
import { type Instance, startInstance } from "warmline-testbed";
import { type BenchClient, commandsFunction, handlerPath } from "../client/bench-client.js";
import type { FleetReport } from "../handlers/fleet.js";
import type { Rig } from "../rig/rig.js";
import { GREETING } from "../rig/run-instance.js";
import { limitFlags } from "./measure.js";

/** The instances of a client, and the limits of the gateway that they share: fewer than there are instances. */
const INSTANCES = { instances: 24, softLimit: 8, hardLimit: 16 };
/** The mean time in ms for which an instance is frozen before an invocation. */
const FROZEN_MS = 400;

/** A fleet against a gateway. */
export interface FleetArm {
  readonly arm: string;
  readonly hue: number;
  readonly gatewayArgs: readonly string[];
  /** The client of real instances. Absent: simulated ones. */
  readonly client?: BenchClient;
}

/** Returns an arm for each client. */
export const instanceArms = (clients: readonly BenchClient[]): FleetArm[] =>
  clients.map((client) => ({
    arm: `${INSTANCES.instances} instances of ${client.label}, limits ${INSTANCES.softLimit} and ${INSTANCES.hardLimit}`,
    hue: 3,
    gatewayArgs: limitFlags(INSTANCES.softLimit, INSTANCES.hardLimit),
    client,
  }));

/**
 * Runs real instances of a client for a time. Each is frozen for a random time before each invocation of one GET.
 * A failed invocation counts with the function's timeout.
 */
export async function runInstances(
  rig: Rig,
  client: BenchClient,
  seconds: number,
  timeoutMs: number,
  random: () => number,
): Promise<FleetReport> {
  await rig.command("SET", "greeting", GREETING);
  const { handler, env } = commandsFunction(client, { keepAlive: true, reused: true }, rig.endpoint);
  const latencies: number[] = [];
  let [failed, reopened] = [0, 0];
  const before = rig.connectionsOpened(client);
  const use = async (instance: Instance, end: number) => {
    while (performance.now() < end && instance.alive) {
      await instance.freeze();
      await pause(-Math.log(1 - random()) * FROZEN_MS);
      const invocation = instance.invoke({});
      await instance.thaw();
      const { error, durationMs } = await invocation;
      if (error) failed++;
      latencies.push(error ? timeoutMs : durationMs);
    }
  };
  const options = { handler: handlerPath(handler), env, timeoutMs: 20_000 };
  const instances: Instance[] = [];
  try {
    while (instances.length < INSTANCES.instances) instances.push(await startInstance(options));
    const end = performance.now() + seconds * 1_000;
    await Promise.all(instances.map((instance) => use(instance, end)));
    reopened = rig.connectionsOpened(client) - before - instances.length;
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
  }
  const unseen = { throttled: 0, refusals: 0, cutOff: 0 };
  return { latencies, instances: instances.length, failed, ...unseen, reopened };
}
