/**
 * A token bucket, as in RFC 2697, section 3: it holds up to one second's worth, at least 1, starts full, and fills at the rate.
 * An amount is admitted when the bucket holds it. An amount above the bucket's capacity is admitted when the bucket is full.
 * The excess is a debt, which fills up first, so that the rate holds over time.
 */
export class RateLimit {
  readonly #burst: number;
  #content: number;
  #at: number;

  /**
   * @param rate per second
   * @param now in ms
   */
  constructor(
    private readonly rate: number,
    now: number,
  ) {
    this.#burst = Math.max(1, rate);
    this.#content = this.#burst;
    this.#at = now;
  }

  /** Returns the seconds until an amount is admitted, or 0 if it is admitted now. `now` is in ms and never goes back. */
  secondsUntil(amount: number, now: number): number {
    this.#content = Math.min(this.#burst, this.#content + ((now - this.#at) * this.rate) / 1_000);
    this.#at = now;
    const missing = Math.min(amount, this.#burst) - this.#content;
    // Sums of fractions come out a little short.
    return missing <= 1e-9 * this.#burst ? 0 : missing / this.rate;
  }

  /** Takes an amount, even if the bucket does not hold it. */
  take(amount: number): void {
    this.#content -= amount;
  }
}
