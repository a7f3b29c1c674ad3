import type { BenchClient } from "../client/bench-client.js";
import type { Rig } from "../rig/rig.js";
import type { Context } from "../scenario.js";
import type { Call, CallResult, TurnsEvent } from "./calls.js";
import { type Fault, get } from "./faults.js";
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
 * @param client the client's instances, and its protocol
 * @param freezeMs how long the function is frozen, if the fault needs that
 */
export async function trial(
  rig: Rig,
  { instance, protocol }: { readonly instance: ReplacedInstance; readonly protocol: BenchClient["protocol"] },
  fault: Fault,
  freezeMs: number,
  { random, defer }: Pick<Context, "random" | "defer">,
): Promise<Ending[]> {
  const proxy = await rig.openProxy(protocol, defer);
  const prefix = `faults:${++trials}:`;
  const key = (name: string) => `${prefix}${name};`;
  const { turns, behaviour, strike } = fault.stage({ proxy, protocol, random, key, command: rig.command });
  let over: Promise<void> | undefined;
  defer(() => over);
  const begin = () => {
    over = strike?.();
  };
  const calls = turns.flat();
  await prepare(rig, calls);
  if (behaviour) proxy.onConnection(() => behaviour);
  const { token, tcp } = rig.endpoint;
  const event = (some: typeof turns): TurnsEvent => ({
    ...{ url: proxy.url, token, turns: some },
    ...(protocol === "tcp" && { tcp: { ...tcp!, port: proxy.port } }),
  });
  const [first] = (await instance.invoke(event([[get(`${prefix}warm`)]]))) ?? [];
  if (first?.value !== null)
    throw new Error(`${instance.label}: the first command failed\n${instance.output}`);
  const settled: (CallResult | undefined)[] = [];
  for (let at = 0; at < turns.length; at += TURNS_PER_INVOCATION) {
    const some = turns.slice(at, at + TURNS_PER_INVOCATION);
    const strikes = at === 0 ? begin : undefined;
    const ended = await instance.invoke(event(some), strikes, fault.frozen ? freezeMs : 0);
    settled.push(...(ended ?? some.flat().map(() => undefined)));
  }
  const found = (await rig.command("MGET", ...calls.map((call) => call.key))) as unknown[];
  return calls.map((call, at) => judge(call, settled[at], found[at], instance.timeoutMs));
}

async function prepare(rig: Rig, calls: readonly Call[]): Promise<void> {
  for (const { command, key } of calls) {
    if (command === "get") await rig.command("SET", key, stored(key));
    if (command === "hgetall") await rig.command("HSET", key, "f", stored(key));
  }
}
