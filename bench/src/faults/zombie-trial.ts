import { type Behaviour, idleReaper } from "warmline-testbed";
import type { FaultClient } from "../client/bench-client.js";
import type { Defer, Rig } from "../rig/rig.js";
import type { Call } from "./calls.js";
import { incr } from "./faults.js";
import { type Ending, judge } from "./judge.js";
import { ReplacedInstance } from "./replaced-instance.js";

/** The timeline of a trial, in s. */
interface ZombieTimes {
  /** Who drops the connection at the limit: a server, whose kernel resets later bytes, or a device on the way, which is silent. */
  readonly drops: "server" | "middlebox" | "nobody";
  readonly limitS: number;
  /** The limit that the server announces; null: it announces none. */
  readonly announcedS: number | null;
  readonly frozenS: number;
}

/** Longer than any trial, in ms. */
const NEVER_MS = 600_000;

let trials = 0;

/** Invokes a function, freezes it, and invokes it again. Returns how the second call ended. */
export async function zombieTrial(
  rig: Rig,
  { label, function: what }: FaultClient,
  { drops, limitS, announcedS, frozenS }: ZombieTimes,
  functionMs: number,
  defer: Defer,
): Promise<Ending> {
  const site = await rig.at({}, defer);
  const closeMs = limitS * 1_000;
  const goneMs = drops === "middlebox" ? closeMs : NEVER_MS;
  for (const proxy of site.proxies) {
    proxy.onConnection(() => ({
      ...(drops !== "nobody" && idleReaper({ closeMs, goneMs, fin: "lost" })),
      ...keepAliveHeader(announcedS),
    }));
  }
  const instance = new ReplacedInstance(label, what, functionMs);
  defer(() => instance.stop());
  const key = `zombie:${++trials}`;
  const event = (call: Call) => ({ ...site.endpoint, turns: [[call]] });
  const before = await instance.invoke(event(incr(`${key};first`)));
  if (before?.[0]?.value !== 1) throw new Error(`${label}: the first call failed\n${instance.output}`);
  const second = incr(`${key};second`);
  const settled = await instance.invoke(event(second), undefined, frozenS * 1_000);
  await instance.stop();
  return judge(second, settled?.[0], await rig.command("GET", second.key), functionMs);
}

/**
 * Changes the limit that responses announce in their Keep-Alive header.
 * @param seconds the announced limit; null removes the header. The header has whole seconds
 */
function keepAliveHeader(seconds: number | null): Pick<Behaviour, "exchange"> {
  const header = seconds === null ? "" : `Keep-Alive: timeout=${Math.floor(seconds)}\r\n`;
  return {
    exchange: () => ({
      response: (connection, { bytes, first }) => {
        if (!first) connection.toClient(bytes);
        else {
          const text = bytes.toString("latin1").replace(/Keep-Alive: timeout=\d+\r\n/i, header);
          connection.toClient(Buffer.from(text, "latin1"));
        }
      },
    }),
  };
}
