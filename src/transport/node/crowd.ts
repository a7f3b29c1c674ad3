import { monotonicTime } from "../../util/clock.js";
import { setImmediate, setTimeout } from "../../util/timers.js";
import type { Crowd } from "../transport.js";

/** Requests under way at which further ones wait: at least so many, and so many per ms of the fastest round trip. */
const MIN_REQUESTS = 4;
const REQUESTS_PER_MS = 3;
/** How long a round trip counts as the fastest, in ms, so that it follows the network. */
const WINDOW = 1_000;
/** A request that takes longer than so many ms, and so many of the fastest round trips, holds nothing up. */
const SLOW_AFTER = 10;
const SLOW_ROUND_TRIPS = 4;

/** The requests of automatic batches on the connections to one origin. */
export class PoolCrowd implements Crowd {
  /** The fastest round trip of the last window and the present one, in ms. */
  #fastest = 1;
  /** The fastest one of the present window. */
  #seen = Infinity;
  #windowEnds = 0;
  /** Those that are not slow, in the order in which they began, with the time of that. */
  readonly #underWay = new Set<{ readonly since: number }>();
  readonly #waiting: (() => void)[] = [];
  /** How many have had their turn and are about to begin. */
  #admitted = 0;
  #isTimed = false;

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
      if (failed === undefined) this.#learn(monotonicTime(), request.since);
      if (this.#underWay.delete(request)) this.#admit();
    };
  }

  #learn(now: number, since: number): void {
    this.#seen = Math.min(this.#seen, now - since);
    this.#fastest = Math.min(this.#fastest, this.#seen);
    if (now < this.#windowEnds) return;
    // In the first window, which may have the cold start alone, the server counts as near.
    if (this.#windowEnds > 0) this.#fastest = this.#seen;
    this.#seen = Infinity;
    this.#windowEnds = now + WINDOW;
  }

  get #hasRoom(): boolean {
    const limit = Math.max(MIN_REQUESTS, this.#fastest * REQUESTS_PER_MS);
    return this.#underWay.size + this.#admitted < limit;
  }

  /** Returns whether there is room after that. */
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
      // Whoever got a response in this poll has the next command ready by then, which comes along.
      setImmediate(this.#waiting.shift()!);
    }
  }

  #watchSlow(): void {
    const [oldest] = this.#underWay;
    if (this.#isTimed || !oldest) return;
    this.#isTimed = true;
    const left = oldest.since + this.#slowAfter - monotonicTime();
    setTimeout(
      () => {
        this.#isTimed = false;
        this.#dropSlow();
        this.#admit();
        if (this.#waiting.length > 0) this.#watchSlow();
      },
      Math.max(1, Math.ceil(left)),
    );
  }
}
