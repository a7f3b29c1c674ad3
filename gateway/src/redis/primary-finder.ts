import { EventEmitter } from "node:events";
import type { Refusal } from "./refusal.js";

/** Emits `change` when another server is the primary. The class itself is for a server that is always the primary. */
export class PrimaryFinder extends EventEmitter<{ change: []; identified: [] }> {
  /** Whether reads are sent again that may have been lost with their connection. */
  readonly repeatsReads: boolean = false;

  constructor() {
    super();
    this.setMaxListeners(0);
  }

  /** The error with which writes are refused until there is a primary again. Null while there is one. */
  get refusal(): string | null {
    return null;
  }

  /** Whether a command that was refused may be run later, here or by another server. */
  waitsFor(refusal: Refusal): boolean {
    return refusal !== "READONLY";
  }

  /** Finds out where the primary is, unless that was done a moment ago. */
  queryAgain(_refusal?: Refusal): void {}

  /**
   * Whether a reply that came at `time` and refused a write may be believed. A server that is still a primary has not refused
   * anything: a script did. Null while that is not known.
   */
  believes(_time: number): boolean | null {
    return true;
  }
}
