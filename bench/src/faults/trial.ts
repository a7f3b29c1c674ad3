import type { BenchClient } from "../client/bench-client.js";
import type { Rig } from "../rig/rig.js";
import type { Call, CallResult, TurnsEvent } from "./calls.js";
import type { Fault, TrialSite } from "./fault.js";
import { type Ending, judge, stored } from "./judge.js";
import type { ReplacedInstance } from "./replaced-instance.js";

/**
 * How many turns an invocation takes at most: the function's time is meant for a call and its retries, and a slow
 * machine's time for all turns of a fault together would count as a call that hangs.
 */
const TURNS_PER_INVOCATION = 2;

let trials = 0;

/**
 * Applies one fault to one client once. Returns how each call ended.
 * @param protocol the client's protocol
 * @param freezeMs how long the function is frozen, if the fault needs that
 */
export async function trial(
  rig: Rig,
  lane: ReplacedInstance,
  protocol: BenchClient["protocol"],
  fault: Fault,
  random: () => number,
  freezeMs: number,
): Promise<Ending[]> {
  const proxy = await rig.openProxy(protocol);
  const prefix = `faults:${++trials}:`;
  const site: TrialSite = {
    proxy,
    protocol,
    random,
    key: (name) => `${prefix}${name};`,
    command: rig.command,
  };
  let over: Promise<void> | undefined;
  try {
    const { turns, behaviour, strike } = fault.stage(site);
    const begin = () => {
      over = strike?.();
    };
    const calls = turns.flat();
    await prepare(rig, calls);
    if (behaviour) proxy.onConnection(() => behaviour);
    const event = (what: readonly (readonly Call[])[]): TurnsEvent => ({
      url: proxy.url,
      token: rig.endpoint.token,
      ...(protocol === "tcp" && { tcp: { ...rig.endpoint.tcp!, port: proxy.port } }),
      turns: what,
    });
    const [first] = (await lane.invoke(event([[{ command: "get", key: `${prefix}warm` }]]))) ?? [];
    if (first?.value !== null) throw new Error(`${lane.label}: the first command failed\n${lane.output}`);
    const settled: (CallResult | undefined)[] = [];
    for (let at = 0; at < turns.length; at += TURNS_PER_INVOCATION) {
      const some = turns.slice(at, at + TURNS_PER_INVOCATION);
      const strikes = at === 0 ? begin : undefined;
      const ended = await lane.invoke(event(some), strikes, fault.frozen ? freezeMs : 0);
      settled.push(...(ended ?? some.flat().map(() => undefined)));
    }
    const found = (await rig.command("MGET", ...calls.map(({ key }) => key))) as unknown[];
    return calls.map((call, at) => judge(call, settled[at], found[at], lane.timeoutMs));
  } finally {
    await over;
    await proxy.close();
  }
}

async function prepare(rig: Rig, calls: readonly Call[]): Promise<void> {
  for (const { command, key } of calls) {
    if (command === "get") await rig.command("SET", key, stored(key));
    if (command === "hgetall") await rig.command("HSET", key, "f", stored(key));
  }
}
