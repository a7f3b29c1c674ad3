import type { Clock, Moment } from "../../util/clock.js";

/** Minimum delay of a hedge in ms, and the multiple of ms to which a longer one is rounded up. */
const MIN_DELAY = 1_000;
const STEP = 100;
/** One of this many responses is timed. */
const SAMPLED = 8;
/** Hedges that each request saves up. */
const SAVED_PER_REQUEST = 0.03;
/** Maximum of hedges saved. */
const MAX_SAVED = 5;
/** Interval in ms after which a hedge is allowed even without savings. */
const MIN_INTERVAL = 5_000;
/** Time in ms for which requests of a name are not hedged after one was slow. */
const SLOW_FOR = 60_000;

/** Decides when, and how often, a request without a response is sent again on another connection. */
export class Hedging {
  /** Time in ms after which a response is late: the usual round trip and its spread. */
  delay = MIN_DELAY;
  #requests = 0;
  #saved = 1;
  #hedgedAt: Moment | undefined;
  #mean = 0;
  #deviation = 0;
  readonly #slow = new Map<string, Moment>();

  constructor(private readonly clock: Clock) {}

  /** Counts a request that is about to be written. Returns the time if the response is to be timed. */
  onWrite(): Moment | undefined {
    this.#saved = Math.min(MAX_SAVED, this.#saved + SAVED_PER_REQUEST);
    return this.#requests++ % SAMPLED === 0 ? this.clock.moment() : undefined;
  }

  /** Updates the delay by a timed response, as in RFC 6298, section 2.3. */
  onResponse(writtenAt: Moment): void {
    const ms = this.clock.elapsed(writtenAt);
    this.#deviation += (Math.abs(ms - this.#mean) - this.#deviation) / 4;
    this.#mean += (ms - this.#mean) / 8;
    this.delay = Math.max(MIN_DELAY, Math.ceil((this.#mean + 8 * this.#deviation) / STEP) * STEP);
  }

  /** Takes one hedge from the savings, for a late request. Returns false if requests of this name are slow, or there were too many hedges. */
  take(label: string): boolean {
    const { clock } = this;
    const since = this.#slow.get(label);
    if (since && clock.elapsed(since) < SLOW_FOR) return false;
    if (this.#saved < 1 && this.#hedgedAt && clock.elapsed(this.#hedgedAt) < MIN_INTERVAL) return false;
    this.#saved = Math.max(0, this.#saved - 1);
    this.#hedgedAt = clock.moment();
    return true;
  }

  /** The response to a late request arrived on its first connection: the request was slow rather than lost. */
  onSlow(label: string): void {
    this.#slow.set(label, this.clock.moment());
  }
}
