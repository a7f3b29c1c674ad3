const EVERY_MS = 5_000;
/** The interval of lines while nothing changes, in ms. */
const WAITING_MS = 30_000;

/**
 * Prints the progress of a run on stderr: one updated line on a terminal, else a line every 5 s. While nothing changes, the line
 * is printed again after 30 s, with the time since and the time left; on a terminal after 5 s.
 */
export class Progress {
  private printedAt = Number.NEGATIVE_INFINITY;
  private readonly begunAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private expectedS = 0;
  private part = 0;
  /** The time of the last step that ended, in s: the time left is estimated from it. */
  private steppedS = 0;
  private what = "";

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly name: string,
  ) {
    this.timer = setInterval(() => this.print(), stream.isTTY ? EVERY_MS : WAITING_MS).unref();
  }

  /** Sets how many seconds all steps are expected to take, until enough of them are done to estimate the time left from those. */
  expect(seconds: number): void {
    this.expectedS = seconds;
  }

  step(done: number, total: number, what: string): void {
    const part = done / total;
    if (part > this.part) this.steppedS = this.spentS;
    this.part = part;
    this.what = what;
    this.print();
  }

  end(): void {
    clearInterval(this.timer);
    if (this.stream.isTTY) this.stream.write("\r\u001b[K");
  }

  private get spentS(): number {
    return (performance.now() - this.begunAt) / 1_000;
  }

  /** The time left in s; undefined if it cannot be estimated yet. */
  private get leftS(): number | undefined {
    const spent = this.spentS;
    // The first steps may only start servers.
    if (this.part === 0 || this.steppedS <= 5)
      return spent < this.expectedS ? this.expectedS - spent : undefined;
    return Math.max(0, this.steppedS / this.part - spent);
  }

  private print(): void {
    if (!this.stream.isTTY && performance.now() - this.printedAt < EVERY_MS) return;
    this.printedAt = performance.now();
    const left = this.leftS;
    const rest = left === undefined ? "" : `, about ${Math.ceil(left)} s left`;
    const running = this.what === "" ? "" : ` (${this.what})`;
    const line = `${this.name}: ${Math.round(100 * this.part)}%, ${Math.round(this.spentS)} s${rest}${running}`;
    if (this.stream.isTTY) this.stream.write(`\r${line.slice(0, (this.stream.columns ?? 80) - 1)}\u001b[K`);
    else this.stream.write(`${line}\n`);
  }
}
