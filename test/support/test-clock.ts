import type { Clock as GatewayClock } from "../../gateway/src/util/clock.js";
import type { Clock, Moment } from "../../src/util/clock.js";

interface TestTimer {
  due: number;
  readonly interval: number | undefined;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it, for parts of the client and of the gateway. */
export class TestClock implements Clock, GatewayClock {
  #monotonic = 0;
  #wall = Date.now();
  readonly #timers = new Set<TestTimer>();

  /** Number of timers that are running. */
  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#monotonic;
  }

  moment(): Moment {
    return { monotonic: this.#monotonic, wall: this.#wall };
  }

  elapsed(since: Moment): number {
    return Math.max(this.#monotonic - since.monotonic, this.#wall - since.wall);
  }

  setTimeout(callback: () => void, ms: number): NodeJS.Timeout {
    return this.#start(callback, ms, undefined);
  }

  setInterval(callback: () => void, ms: number): NodeJS.Timeout {
    return this.#start(callback, ms, ms);
  }

  clear(timer: NodeJS.Timeout | undefined): void {
    this.#timers.delete(timer as unknown as TestTimer);
  }

  /** Moves the time on and calls each timer back when it is due. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (let next = this.#nextBefore(end); next; next = this.#nextBefore(end)) {
      this.#move(next.due - this.#monotonic);
      this.#fire(next);
    }
    this.#move(end - this.#monotonic);
  }

  /** Moves the time on as a process is frozen: timers that became due are called back once, afterwards. */
  freeze(ms: number): void {
    this.#move(ms);
    for (const timer of [...this.#timers]) if (timer.due <= this.#monotonic) this.#fire(timer);
  }

  /** Moves the wall clock alone, as over a snapshot that stalls the monotonic clock. */
  setForward(ms: number): void {
    this.#wall += ms;
  }

  /** Moves the time on, 10 ms at a time between network events, until the promise settles. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    while (!settled) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      this.advance(10);
    }
    return promise;
  }

  #start(callback: () => void, ms: number, interval: number | undefined): NodeJS.Timeout {
    const timer = { due: this.#monotonic + ms, interval, callback, unref: () => timer };
    this.#timers.add(timer);
    return timer as unknown as NodeJS.Timeout;
  }

  #nextBefore(end: number): TestTimer | undefined {
    return [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
  }

  #fire(timer: TestTimer): void {
    if (!this.#timers.has(timer)) return;
    if (timer.interval === undefined) this.#timers.delete(timer);
    else timer.due = this.#monotonic + timer.interval;
    timer.callback();
  }

  #move(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }
}
