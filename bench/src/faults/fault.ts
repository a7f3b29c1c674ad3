import {
  type Fault as Befalling,
  type Behaviour,
  type NetworkProxy,
  onRequest,
  type Script,
} from "warmline-testbed";
import type { Call } from "./calls.js";

/** Where a trial takes place. */
export interface TrialSite {
  /** The way to the server, this trial's alone. */
  readonly proxy: NetworkProxy;
  /** Numbers that the seed decides. */
  readonly random: () => number;
  /** A key of this trial by a name of its own. */
  key(name: string): string;
  /** Runs a command at the server, past the path. */
  command(...words: string[]): Promise<unknown>;
}

/** A fault prepared for one trial. */
export interface PreparedFault {
  /** The calls: those of a turn are issued together, turns come one after another. */
  readonly turns: readonly (readonly Call[])[];
  /** How the path behaves from the start; a connection has been used once when the calls begin. */
  readonly script?: Script;
  /**
   * What happens right before the calls, at the beginning of the freeze if there is one; a promise settles when it
   * is over.
   */
  readonly strike?: () => Promise<void> | undefined;
}

/** Something that goes wrong. */
export interface Fault {
  /** What happens, in words. */
  readonly title: string;
  /** Whether the function is frozen before the calls, and thaws with them waiting. */
  readonly frozen?: boolean;
  /** Whether no answer can be had within the function's time, whatever a client does. */
  readonly hopeless?: boolean;
  stage(site: TrialSite): PreparedFault;
}

/** Faults of a kind, as the table shows them together. */
export interface FaultGroup {
  readonly title: string;
  readonly faults: readonly Fault[];
}

export const get = (key: string): Call => ({ command: "get", key });
export const incr = (key: string): Call => ({ command: "incr", key });

/** The first so many requests that hold `text`, over all connections, meet with `fault`. */
export function first(times: number, text: string, fault: Befalling): Behaviour {
  let left = times;
  return onRequest(({ request }) => request.includes(text) && left-- > 0, fault);
}

/** Every connection behaves as `behaviour`, which counts over all of them. */
export const always =
  (behaviour: Behaviour): Script =>
  () =>
    behaviour;
