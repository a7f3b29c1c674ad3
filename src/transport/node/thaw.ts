import type { Clock } from "../../util/clock.js";

/** Interval of the ticks, in ms. */
const TICK = 1_000;

/** Delay of a tick in ms above which the process counts as having been frozen. */
const LATE = 1_000;

/** Detects that the process was frozen: a tick, due every second, comes late. Never keeps the process alive. */
export class ThawWatch {
  /** When the last thaw was detected, on the monotonic clock. -Infinity before the first. */
  thawedAt = -Infinity;
  #timer: ReturnType<typeof setInterval> | undefined;
  #due = 0;

  /**
   * @param needed called at each tick. If it returns false, the ticks stop until `start`.
   * @param onThaw called at each thaw with the approximate duration of the freeze, in ms.
   */
  constructor(
    private readonly needed: () => boolean,
    private readonly onThaw: (ms: number) => void,
    private readonly clock: Clock,
  ) {}

  start(): void {
    if (this.#timer) return;
    this.#due = this.clock.moment().wall + TICK;
    this.#timer = this.clock.setInterval(() => this.#tick(), TICK);
    this.#timer.unref();
  }

  stop(): void {
    this.clock.clear(this.#timer);
    this.#timer = undefined;
  }

  /** Detects a thaw now, if the next tick is late. */
  look(): void {
    const { monotonic, wall } = this.clock.moment();
    const late = wall - this.#due;
    if (!this.#timer || late <= LATE) return;
    this.#due = wall + TICK;
    this.thawedAt = monotonic;
    this.onThaw(late);
  }

  #tick(): void {
    this.look();
    this.#due = this.clock.moment().wall + TICK;
    if (!this.needed()) this.stop();
  }
}
