import { type Behaviour, type NetworkProxy, onRequest, type Fault as ProxyFault } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import type { Call } from "./calls.js";

/** The proxy, keys and commands of one trial. */
export interface TrialSite {
  /** The proxy in front of the server; used by this trial only. */
  readonly proxy: NetworkProxy;
  readonly protocol: BenchClient["protocol"];
  /** Random numbers, determined by the seed. */
  readonly random: () => number;
  /** Returns this trial's key of the name. */
  key(name: string): string;
  /** Runs a command at the server, without the proxy. */
  command(...args: string[]): Promise<unknown>;
}

/** A fault prepared for one trial. */
export interface PreparedFault {
  /** The calls: those of a turn are issued together, turns come one after another. */
  readonly turns: readonly (readonly Call[])[];
  /** The behaviour of all connections from the start. One has been used once when the calls begin. */
  readonly behaviour?: Behaviour;
  /**
   * Starts the fault right before the calls, or at the beginning of the freeze if there is one. A promise settles when
   * the fault is over.
   */
  readonly strike?: () => Promise<void> | undefined;
}

/** A fault between a client and its Redis. */
export interface Fault {
  /** The row's title in the table. */
  readonly title: string;
  /** Whether only clients over HTTP can meet it. */
  readonly onlyHttp?: boolean;
  /** Whether the function is frozen before the calls, and thaws with them waiting. */
  readonly frozen?: boolean;
  /** Whether no client can get a response within the function's time. */
  readonly hopeless?: boolean;
  /** Prepares the fault for one trial. */
  stage(site: TrialSite): PreparedFault;
}

/** Returns a GET of the key. */
export const get = (key: string): Call => ({ command: "get", key });
/** Returns an INCR of the key. */
export const incr = (key: string): Call => ({ command: "incr", key });

/** Applies `fault` to the first `times` requests that contain `text`, over all connections. */
export function first(times: number, text: string, fault: ProxyFault): Behaviour {
  let left = times;
  return onRequest(({ request }) => request.includes(text) && left-- > 0, fault);
}
