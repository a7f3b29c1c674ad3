import { monotonicTime } from "../../util/clock.js";
import { setImmediate, setTimeout } from "../../util/timers.js";
import type { BatchLimiter } from "../transport.js";

/** Requests under way above which further ones wait: the minimum, and the number per ms of the fastest round trip. */
const MIN_REQUESTS = 4;
const REQUESTS_PER_MS = 3;
/** Time in ms after which the fastest round trip is measured anew, so that it follows the network. */
const WINDOW = 1_000;
/** A request that takes longer than this many ms, and this many of the fastest round trips, no longer counts. */
const SLOW_AFTER = 10;
const SLOW_ROUND_TRIPS = 4;

/** The requests of automatic batches on the connections to one origin. */
export class PoolBatchLimiter implements BatchLimiter {
  /** The fastest round trip of the last window and the current one, in ms. */
  #fastest = 1;
  /** The fastest round trip of the current window, in ms. */
  #fastestOfWindow = Infinity;
  #windowEnds = 0;
  /** Requests that are not slow, in the order in which they began. */
  readonly #underWay = new Set<{ readonly since: number }>();
  readonly #waiting: (() => void)[] = [];
  /** Number of waiters whose turn has come, and whose request has not begun yet. */
  #admitted = 0;
  /** Whether a timer runs until the oldest request is slow. */
  #watchesSlow = false;

  turn(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && (this.#hasRoom || this.#dropSlow())) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#watchSlow();
    });
  }

  enter(): (failed?: unknown) => void {
    const request = { since: monotonicTime() };
    this.#underWay.add(request);
    if (this.#admitted > 0) this.#admitted--;
    if (this.#waiting.length > 0) this.#watchSlow();
    return (failed) => {
      if (failed === undefined) this.#onRoundTrip(monotonicTime(), request.since);
      if (this.#underWay.delete(request)) this.#admit();
    };
  }

  #onRoundTrip(now: number, since: number): void {
    this.#fastestOfWindow = Math.min(this.#fastestOfWindow, now - since);
    this.#fastest = Math.min(this.#fastest, this.#fastestOfWindow);
    if (now < this.#windowEnds) return;
    // The first round trip may be a cold start, and says nothing about the network.
    if (this.#windowEnds > 0) this.#fastest = this.#fastestOfWindow;
    this.#fastestOfWindow = Infinity;
    this.#windowEnds = now + WINDOW;
  }

  get #hasRoom(): boolean {
    const limit = Math.max(MIN_REQUESTS, this.#fastest * REQUESTS_PER_MS);
    return this.#underWay.size + this.#admitted < limit;
  }

  /** Stops counting slow requests. Returns whether there is room then. */
  #dropSlow(): boolean {
    const before = monotonicTime() - this.#slowAfter;
    for (const request of this.#underWay) {
      if (request.since > before) break;
      this.#underWay.delete(request);
    }
    return this.#hasRoom;
  }

  get #slowAfter(): number {
    return Math.max(SLOW_AFTER, SLOW_ROUND_TRIPS * this.#fastest);
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#hasRoom) {
      this.#admitted++;
      // After this poll, so that commands issued in response to replies of this poll share the request.
      setImmediate(this.#waiting.shift()!);
    }
  }

  #watchSlow(): void {
    const [oldest] = this.#underWay;
    if (this.#watchesSlow || !oldest) return;
    this.#watchesSlow = true;
    const left = oldest.since + this.#slowAfter - monotonicTime();
    setTimeout(
      () => {
        this.#watchesSlow = false;
        this.#dropSlow();
        this.#admit();
        if (this.#waiting.length > 0) this.#watchSlow();
      },
      Math.max(1, Math.ceil(left)),
    );
  }
}
