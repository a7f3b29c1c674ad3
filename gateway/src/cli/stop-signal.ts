import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type StopSignal = (typeof SIGNALS)[number];

/**
 * Waits for the first SIGINT, SIGTERM or SIGHUP. A second one ends the process without further waiting, unless it is SIGHUP: a
 * terminal that closes sends several.
 */
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

  /** Leaves later signals to others. SIGHUP still does not end the process. */
  release(): void {
    for (const signal of SIGNALS) if (signal !== "SIGHUP") process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: StopSignal): void => {
    if (this.received && signal !== "SIGHUP") process.exit(statusOf(signal));
    this.received ??= signal;
    this.#resolve();
  };
}

/** Returns the status of a process that a signal ended, as a shell reports it. */
export function statusOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
