/** Lets at most `limit` tasks run at a time, in the order of their calls; those ahead come before all others. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #ahead: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs a task as soon as a place is free. @param ahead whether it comes before waiting tasks that are not */
  async run<T>(task: () => Promise<T>, ahead = false): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => (ahead ? this.#ahead : this.#waiting).push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#ahead.shift() ?? this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
