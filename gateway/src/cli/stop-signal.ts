import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
type StopSignal = (typeof SIGNALS)[number];

/** Waits for the first SIGINT or SIGTERM. The second one ends the process without further waiting. */
export class StopSignals {
  /** The first signal so far. */
  received: StopSignal | null = null;
  /** Resolves at the first signal. */
  readonly first: Promise<void>;
  readonly #release: () => void;

  constructor() {
    let resolve = () => {};
    this.first = new Promise((done) => {
      resolve = done;
    });
    const onSignal = (signal: StopSignal) => {
      if (this.received) process.exit(statusOf(signal));
      this.received = signal;
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
    this.#release = () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    };
  }

  /** Leaves later signals to others. */
  release(): void {
    this.#release();
  }
}

/** Returns the status of a process that a signal ended, as a shell reports it. */
export function statusOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
