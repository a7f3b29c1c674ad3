import { setTimeout as pause } from "node:timers/promises";
import { RawConnection, type RawTarget } from "../client/raw-connection.js";
import { runAt } from "../util/schedule.js";

export interface FleetEvent {
  readonly target: RawTarget;
  /** When invocations come, in ms. */
  readonly arrivals: readonly number[];
  /** How long the function works after its command, in ms. */
  readonly workMs: number;
  /** How long an idle instance lives, in ms. */
  readonly lifetimeMs: number;
  readonly maxInstances: number;
  /** The function's timeout in ms: the latency of an invocation that fails or is throttled. */
  readonly timeoutMs: number;
  /** How often a refused or failed command is tried again, and the pause before in ms. */
  readonly retries: number;
  readonly retryAfterMs: number;
}

/** One simulated instance: what it has is a connection, which freezes with it. */
interface FleetInstance {
  connection: RawConnection | undefined;
  idleSince: number;
}

/**
 * Plays a platform: invocations come, the warmest idle instance takes each, else a new one; idle ones are frozen.
 * @returns the time in ms of each invocation's command from when the invocation was due, or the function's timeout if it failed or was
 * throttled; and the numbers of instances, of failed invocations, of those without an instance, of refusals (503), of connections that
 * ended under a command or could not be opened, and of those that were closed after a thaw and reopened
 */
export const handler = async (event: FleetEvent) => {
  const { target, arrivals, workMs, lifetimeMs, maxInstances, timeoutMs, retries, retryAfterMs } = event;
  const latencies: number[] = [];
  const idle: FleetInstance[] = [];
  let [alive, created, failed, throttled, refusals, cutOff, reopened] = [0, 0, 0, 0, 0, 0, 0];

  const command = async (instance: FleetInstance) => {
    await instance.connection?.thaw();
    for (let attempt = 0; ; attempt++) {
      if (instance.connection?.ended) {
        instance.connection = undefined;
        reopened++;
      }
      try {
        instance.connection ??= await RawConnection.open(target);
        await instance.connection.run(["GET", "greeting"]);
        return;
      } catch (error) {
        instance.connection?.close();
        instance.connection = undefined;
        // Whether it was applied does not matter: it is a read.
        if (error instanceof Error && error.message.startsWith("HTTP/1.1 503 ")) refusals++;
        else cutOff++;
        if (attempt >= retries) throw error;
        await pause(retryAfterMs);
      }
    }
  };
  const invoke = async (instance: FleetInstance, dueAt: number) => {
    try {
      await command(instance);
      latencies.push(performance.now() - dueAt);
    } catch {
      failed++;
      latencies.push(timeoutMs);
    }
    await pause(workMs);
    instance.connection?.freeze();
    instance.idleSince = performance.now();
    idle.push(instance);
  };

  await runAt(arrivals, async (dueAt) => {
    // Instances at the bottom have been idle for longest. A platform ends them without notice, and their connections stay open.
    while (idle[0] && performance.now() - idle[0].idleSince > lifetimeMs) {
      idle.shift();
      alive--;
    }
    const warm = idle.pop();
    if (!warm && alive >= maxInstances) {
      throttled++;
      latencies.push(timeoutMs);
      return;
    }
    if (!warm) {
      alive++;
      created++;
    }
    await invoke(warm ?? { connection: undefined, idleSince: 0 }, dueAt);
  });
  return { body: { latencies, instances: created, failed, throttled, refusals, cutOff, reopened } };
};
