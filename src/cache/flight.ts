import { clearTimeout, MAX_TIMER, setTimeout } from "../util/timers.js";

/** A result as text. A call may return it if the call began before `time`. */
export interface SharedResult {
  readonly text: string;
  /** When the result was true, counted in the function's calls and requests rather than by a clock. */
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
  /** The result for other calls, or undefined if the lease of the computation ended first. */
  readonly shared: Promise<SharedResult | undefined>;
  #end!: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: (flight: Flight) => Promise<SharedResult>) {
    const ended = new Promise<undefined>((resolve) => {
      this.#end = () => resolve(undefined);
    });
    this.result = run(this).finally(() => clearTimeout(this.#timer));
    this.shared = Promise.race([this.result, ended]);
    // Without other calls nobody handles this rejection. `result` rejects with the same error.
    this.shared.catch(() => {});
  }

  /** Limits the time for which other calls wait: the function may wait for a connection that was lost during a freeze. */
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
