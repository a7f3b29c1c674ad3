import { setTimeout as pause } from "node:timers/promises";
import { type Certificate, startInstance } from "warmline-testbed";
import { type BenchClient, commandsFunction, handlerPath } from "../client/bench-client.js";
import type { CommandsEvent } from "../handlers/commands.js";
import type { Rig } from "../rig/rig.js";
import { Gate } from "../util/gate.js";
import { ITEM, startFront } from "./front.js";

/** The round trip in ms between the caller and the endpoint. */
export const FRONT_RTT_MS = 10;
/** The pause between two calls in s, in which the instance is frozen: the article's are sent by a person. */
export const PAUSE_S = 2;

/** The calls of one case. */
export interface Calls {
  readonly client: BenchClient;
  /** Items put by each call. */
  readonly items: number;
  readonly keepAlive: boolean;
  /** Whether the instance is frozen between two calls. */
  readonly frozen: boolean;
}

/** While one instance starts, runs or stops, all others pause. */
const alone = new Gate(1);

/**
 * Calls the endpoint of a function. Returns times in ms in the function and from outside, and the connections to the server that
 * calls after the first one opened.
 */
export async function runCalls(
  { client, items, keepAlive, frozen }: Calls,
  rig: Rig,
  certificate: Certificate,
  count: number,
) {
  const site = await rig.at({});
  const { handler, env } = commandsFunction(client, { keepAlive, reused: true }, site.endpoint);
  const keys = Array.from({ length: items }, (_, at) => `item:${at}`);
  const event: CommandsEvent = { keys, command: "set", value: ITEM };
  const start = () => startInstance({ handler: handlerPath(handler), env: { ...env, ...rig.trust } });
  const instance = await alone.run(start);
  const front = await startFront(instance, FRONT_RTT_MS, certificate);
  const call = async () => {
    const times = await front.call(event);
    if (frozen) await instance.freeze();
    return times;
  };
  try {
    // The first call does not count: it connects.
    await alone.run(call);
    const before = site.connectionsOpened(client);
    const calls: Awaited<ReturnType<typeof call>>[] = [];
    const backToBack = async () => {
      for (let n = 0; n < count; n++) calls.push(await call());
    };
    if (!frozen) await alone.run(backToBack);
    for (let n = 0; frozen && n < count; n++) {
      await pause(PAUSE_S * 1_000);
      calls.push(await alone.run(call, true));
    }
    return {
      inside: calls.map(({ inside }) => inside),
      outside: calls.map(({ outside }) => outside),
      opened: site.connectionsOpened(client) - before,
    };
  } finally {
    await front.close();
    await alone.run(() => instance.stop());
    await site.close();
  }
}
