/** How often to look, in ms. */
const TICK = 1_000;

/** How late a look has to come for the process to count as frozen meanwhile, in ms. */
const LATE = 1_000;

/** Notices that the process was frozen: a tick that should come every second came late. Never keeps it alive. */
export class ThawWatch {
  /** When the last thaw was seen, on the monotonic clock; -Infinity when none was. */
  thawedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setInterval> | undefined;
  private due = 0;

  /**
   * @param needed asked at every tick; when it says no, the ticking stops until it is started again.
   * @param onThaw told of every thaw, and about how long the process was frozen, in ms.
   */
  constructor(
    private readonly needed: () => boolean,
    private readonly onThaw: (ms: number) => void,
  ) {}

  start(): void {
    if (this.timer) return;
    this.due = Date.now() + TICK;
    this.timer = setInterval(() => this.tick(), TICK);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tick(): void {
    const now = Date.now();
    if (now - this.due > LATE) {
      this.thawedAt = performance.now();
      this.onThaw(now - this.due);
    }
    this.due = now + TICK;
    if (!this.needed()) this.stop();
  }
}
