import { Histogram, SECONDS } from "./histogram.js";

/** Interval in ms between samples of the event loop's delay. */
const SAMPLE_EVERY = 20;
/** The longest delay is recorded once in this time, in ms. */
const RECORD_EVERY = 1_000;

/**
 * Records the longest delay of the event loop in each second. Such a histogram misses nothing between two scrapes and
 * adds up over processes. `monitorEventLoopDelay` of Node can do neither: its percentiles do not add up, and after a
 * `reset()` it leaves out the first interval, however long that is.
 */
export class LoopDelay {
  /** The longest delay of each second so far, in seconds. */
  readonly longest = new Histogram(SECONDS);
  readonly #timer: NodeJS.Timeout;
  #sampledAt = performance.now();
  #recordedAt = this.#sampledAt;
  #max = 0;

  constructor() {
    this.#timer = setInterval(() => this.#sample(performance.now()), SAMPLE_EVERY).unref();
  }

  /** Stops sampling. */
  close(): void {
    clearInterval(this.#timer);
  }

  #sample(now: number): void {
    this.#max = Math.max(this.#max, now - this.#sampledAt - SAMPLE_EVERY);
    this.#sampledAt = now;
    if (now - this.#recordedAt < RECORD_EVERY) return;
    this.longest.observe(this.#max / 1_000);
    this.#recordedAt = now;
    this.#max = 0;
  }
}
