import { type Behaviour, idleReaper } from "warmline-testbed";
import type { FaultClient } from "../client/bench-client.js";
import type { Rig } from "../rig/rig.js";
import type { Call } from "./calls.js";
import { type Ending, judge } from "./judge.js";
import { ReplacedInstance } from "./replaced-instance.js";

/** The timeline of a trial, in s. */
export interface ZombieTimes {
  /** The server's idle limit, and the one that it announces; null: it announces none. */
  readonly limitS: number;
  readonly announcedS: number | null;
  /** How long the function is frozen, and how long an idle instance lives. */
  readonly idleS: number;
  readonly lifetimeS: number;
  /** Factor of the idle limit after which bytes on a closed connection get no reset any more. */
  readonly goneAfter: number;
  /** Speed of the timeline as a multiple of real time. */
  readonly speedup: number;
}

let trials = 0;

/** Invokes a function, freezes it or replaces it, and invokes it again. Returns how the second call ended. */
export async function zombieTrial(
  rig: Rig,
  { label, function: what }: FaultClient,
  { limitS, announcedS, idleS, lifetimeS, goneAfter, speedup }: ZombieTimes,
  functionMs: number,
): Promise<Ending> {
  const site = await rig.at({});
  const closeMs = (limitS * 1_000) / speedup;
  for (const proxy of site.proxies) {
    proxy.onConnection(() => ({
      ...idleReaper({ closeMs, goneMs: closeMs * goneAfter, fin: "lost" }),
      ...keepAliveHeader(announcedS === null ? null : announcedS / speedup),
    }));
  }
  const instance = new ReplacedInstance(label, { ...what, env: { ...what.env, ...rig.trust } }, functionMs);
  const key = `zombie:${++trials}`;
  const event = (call: Call) => ({ ...site.endpoint, turns: [[call]] });
  const second: Call = { command: "incr", key: `${key};second` };
  try {
    const before = await instance.invoke(event({ command: "incr", key: `${key};first` }));
    if (before?.[0]?.value !== 1) throw new Error(`${label}: the first call failed\n${instance.output}`);
    const isReplaced = idleS > lifetimeS;
    if (isReplaced) await instance.stop();
    const frozenMs = isReplaced ? 0 : (idleS * 1_000) / speedup;
    const settled = await instance.invoke(event(second), undefined, frozenMs);
    return judge(second, settled?.[0], await rig.command("GET", second.key), functionMs);
  } finally {
    await instance.stop();
    await site.close();
  }
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
