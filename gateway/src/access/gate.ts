import { Fifo } from "../util/fifo.js";

/** Something that waits to enter a {@link Gate}. Either `run` or `onMissed` is called, once. */
export interface Entrant {
  /** Whether the result is no longer wanted. */
  readonly cancelled: boolean;
  /** Called when it has entered. {@link Gate.leave} must follow. */
  run(): void;
  /** Called when it did not enter in time, or was cancelled before. */
  onMissed(): void;
}

interface Waiting {
  entrant: Entrant | null;
  readonly timer: NodeJS.Timeout;
}

/** Lets a limited number of entrants in at a time. The others wait in the order in which they came. */
export class Gate {
  readonly #waiting = new Fifo<Waiting>();
  #inside = 0;

  /**
   * Enters now, or once fewer than `max` are inside.
   * @param timeout how long it may wait, in ms
   */
  enter(entrant: Entrant, max: number, timeout: number): void {
    if (this.#inside < max) {
      this.#inside++;
      entrant.run();
      return;
    }
    const waiting: Waiting = {
      entrant,
      timer: setTimeout(() => {
        waiting.entrant = null;
        entrant.onMissed();
      }, timeout),
    };
    this.#waiting.push(waiting);
  }

  /** One of those inside leaves. Others enter as long as fewer than `max` are inside. */
  leave(max: number): void {
    this.#inside--;
    while (this.#inside < max) {
      const next = this.#waiting.shift();
      if (!next) return;
      const { entrant, timer } = next;
      if (!entrant) continue;
      clearTimeout(timer);
      if (entrant.cancelled) entrant.onMissed();
      else {
        this.#inside++;
        entrant.run();
      }
    }
  }
}
