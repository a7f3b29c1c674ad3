import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
type StopSignal = (typeof SIGNALS)[number];

/** Waits for the first SIGINT or SIGTERM. The second one ends the process without further waiting. */
export class StopSignals {
  /** The first signal so far. */
  received: StopSignal | null = null;
  #resolve = () => {};
  /** Resolves at the first signal. */
  readonly first = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Leaves later signals to others. */
  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: StopSignal): void => {
    if (this.received) process.exit(statusOf(signal));
    this.received = signal;
    this.#resolve();
  };
}

/** Returns the status of a process that a signal ended, as a shell reports it. */
export function statusOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
