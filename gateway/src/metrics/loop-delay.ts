import { Histogram, SECONDS } from "./histogram.js";

/** Interval in ms between samples of the event loop's delay. */
const SAMPLE_EVERY = 20;
/** The longest delay is recorded once in this time, in ms. */
const RECORD_EVERY = 1_000;
const MINUTE = 60_000;

/**
 * Records the longest delay of the event loop in each second. Such a histogram misses nothing between two scrapes and
 * adds up over processes. `monitorEventLoopDelay` of Node can do neither: its percentiles do not add up, and after a
 * `reset()` it leaves out the first interval, however long that is.
 */
export class LoopDelay {
  /** The longest delay of each second of the last minute, in ms, and when the second ended. */
  readonly #recent: { readonly at: number; readonly max: number }[] = [];
  /** The longest delay of each second so far, in seconds. */
  readonly longest = new Histogram(SECONDS);
  readonly #timer: NodeJS.Timeout;
  #sampledAt = performance.now();
  #recordedAt = this.#sampledAt;
  #max = 0;

  constructor() {
    this.#timer = setInterval(() => this.#sample(performance.now()), SAMPLE_EVERY).unref();
  }

  /** The longest delay of the last minute, in seconds. A single stall is among few samples of {@link longest}. */
  get longestOfMinute(): number {
    const now = performance.now();
    let max = Math.max(this.#max, now - this.#sampledAt - SAMPLE_EVERY);
    for (const second of this.#recent) if (now - second.at < MINUTE) max = Math.max(max, second.max);
    return max / 1_000;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(now: number): void {
    this.#max = Math.max(this.#max, now - this.#sampledAt - SAMPLE_EVERY);
    this.#sampledAt = now;
    if (now - this.#recordedAt < RECORD_EVERY) return;
    this.longest.observe(this.#max / 1_000);
    while (this.#recent.length > 0 && now - this.#recent[0]!.at >= MINUTE) this.#recent.shift();
    this.#recent.push({ at: now, max: this.#max });
    this.#recordedAt = now;
    this.#max = 0;
  }
}
