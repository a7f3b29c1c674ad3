import { clearTimeout, MAX_TIMER, setTimeout } from "../util/timers.js";

/** A result as text, for calls that began before a time. */
export interface SharedResult {
  readonly text: string;
  /** The result holds what was true at this time, by the count of the function's calls and requests. */
  readonly time: number;
  /** Identifies the entry, if the result was stored before. */
  readonly id?: string;
  /** Duration in ms of the request that read or stored it. */
  readonly took?: number;
}

/** Calls of one key that share requests and a computation. */
export class Flight {
  /** The result for the call that began the flight. */
  readonly result: Promise<SharedResult>;
  /** The result for other calls; undefined if the lease of the computation ended before it. */
  readonly shared: Promise<SharedResult | undefined>;
  #end!: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: (flight: Flight) => Promise<SharedResult>) {
    const ended = new Promise<undefined>((resolve) => {
      this.#end = () => resolve(undefined);
    });
    this.result = run(this).finally(() => clearTimeout(this.#timer));
    this.shared = Promise.race([this.result, ended]);
    // Without other calls, its rejection is that of `result`.
    this.shared.catch(() => {});
  }

  /** Limits the time for which other calls wait: the process may have been frozen, and a connection of the function lost. */
  startLease(ms: number, onEnd: () => void): void {
    this.#timer = setTimeout(
      () => {
        onEnd();
        this.#end();
      },
      Math.min(ms, MAX_TIMER),
    );
  }
}
