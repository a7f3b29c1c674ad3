/**
 * A token bucket, as in RFC 2697, section 3: it holds up to one second's worth, at least 1, starts full, and fills at the rate.
 * An amount is let in when the bucket holds it. A larger amount than the bucket can hold is let in when it is full. What is
 * taken beyond its content is a debt, which fills up first, so that the rate holds over time.
 */
export class RateLimit {
  readonly #rate: number;
  readonly #burst: number;
  #content: number;
  #at: number;

  /**
   * @param rate per second
   * @param now in ms
   */
  constructor(rate: number, now: number) {
    this.#rate = rate;
    this.#burst = Math.max(1, rate);
    this.#content = this.#burst;
    this.#at = now;
  }

  /** Returns the seconds until an amount is let in; 0 when it is now. `now` is in ms and never goes back. */
  secondsUntil(amount: number, now: number): number {
    this.#content = Math.min(this.#burst, this.#content + ((now - this.#at) * this.#rate) / 1_000);
    this.#at = now;
    const missing = Math.min(amount, this.#burst) - this.#content;
    // Sums of fractions come out a little short.
    return missing <= 1e-9 * this.#burst ? 0 : missing / this.#rate;
  }

  /** Takes an amount, whether it is there or not. */
  take(amount: number): void {
    this.#content -= amount;
  }
}
