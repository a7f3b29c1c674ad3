import { setTimeout as pause } from "node:timers/promises";
import type { Instance } from "warmline-testbed";
import { type BenchClient, commandsFunction, type Variant } from "../client/bench-client.js";
import type { Defer, Rig } from "../rig/rig.js";
import { beginInstance, GREETING } from "../rig/run-instance.js";
import { median } from "../statistics/series.js";
import { Gate } from "../util/gate.js";

/** How long an instance is frozen, in ms. */
export const FROZEN_MS = 1_500;
/** The time in ms after which a command of a thawed instance is lost if it has no reply. */
export const LOST_AFTER_MS = 2_000;
/** The function's timeout in ms. A busy machine delays calls that are not lost. */
const TIMEOUT_MS = 30_000;
/** The time in ms after which a thawed instance without a reply counts as waiting, so that others may run. */
const WAITS_MS = 250;
/** Pairs of a command with the kept client and one with a new client. */
export const PAIRS = 210;

/** The measurements of one instance. Times in ms. */
interface KeepaliveSample {
  readonly init: number;
  readonly first: number;
  readonly warm: readonly number[];
  readonly opened: number;
  /** How many times as long a command takes with a new client as with the kept one: median of pairs. */
  readonly recreatedRatio?: number;
  /** The first command after a freeze in which the network dropped the connection: its time, or none and a lost command. */
  readonly thawed?: readonly number[];
  readonly lost?: number;
}

/** While one instance starts or runs, all others of this process are frozen, wait for a reply or have not started. */
const alone = new Gate(1);

/**
 * Runs an instance over connections of its own: a cold invocation and warm ones. Where client and connections are kept, this
 * project's client then runs the pairs, and each instance is frozen while the network drops its connections.
 */
export async function measure(
  { client, rig, ...variant }: Variant & { readonly client: BenchClient; readonly rig: Rig },
  invocations: number,
  defer: Defer,
): Promise<KeepaliveSample> {
  const site = await rig.at({}, defer);
  const kept = variant.keepAlive && variant.reused;
  const paired = kept && client.name === "warmline";
  const events = [...Array<object>(invocations).fill({}), ...(paired ? [{ pairs: PAIRS }] : [])];
  const { instance, sample } = await alone.run(async () => {
    const what = commandsFunction(client, variant, site);
    const { instance, run } = await beginInstance(client.label, what, { events, timeoutMs: TIMEOUT_MS });
    defer(() => instance.stop());
    const { init, first, warm, bodies } = run;
    if (bodies.slice(0, invocations).some((body) => body !== GREETING))
      throw new Error(`${client.label}: a GET returned another value than the stored one.`);
    if (kept) {
      await instance.freeze();
      for (const proxy of site.proxies) proxy.blackholeAll();
    }
    const sample = {
      ...{ init, first, warm: warm.slice(0, invocations - 1), opened: site.connectionsOpened(client) },
      ...(paired && { recreatedRatio: median(bodies.at(-1) as number[]) }),
    };
    return { instance, sample };
  });
  if (!kept) return sample;
  await pause(FROZEN_MS);
  return { ...sample, ...(await thaw(instance)) };
}

async function thaw(instance: Instance): Promise<Required<Pick<KeepaliveSample, "thawed" | "lost">>> {
  let invocation: ReturnType<Instance["invoke"]> | undefined;
  await alone.run(async () => {
    invocation = instance.invoke({});
    await instance.thaw();
    await Promise.race([invocation, pause(WAITS_MS, undefined, { ref: false })]);
  }, true);
  const ended = await Promise.race([invocation, pause(LOST_AFTER_MS - WAITS_MS, undefined, { ref: false })]);
  return ended && !ended.error ? { thawed: [ended.durationMs], lost: 0 } : { thawed: [], lost: 1 };
}
