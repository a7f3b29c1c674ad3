const EVERY_MS = 5_000;

/** Tells on stderr how far a run is: one line that changes on a terminal, a line now and then elsewhere. */
export class Progress {
  private saidAt = 0;
  private readonly begunAt = performance.now();

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly name: string,
  ) {}

  /** `done` of `total` steps are over; `what` is under way. */
  step(done: number, total: number, what: string): void {
    const now = performance.now();
    const spent = (now - this.begunAt) / 1_000;
    const left = done > 0 ? `, about ${Math.ceil((spent / done) * (total - done))} s left` : "";
    const line = `${this.name}: ${Math.round((100 * done) / total)} %, ${Math.round(spent)} s${left} (${what})`;
    if (this.stream.isTTY) this.stream.write(`\r${line.slice(0, (this.stream.columns ?? 80) - 1)}\u001b[K`);
    else if (now - this.saidAt >= EVERY_MS || this.saidAt === 0) {
      this.saidAt = now;
      this.stream.write(`${line}\n`);
    }
  }

  /** Something worth a line of its own. */
  say(line: string): void {
    if (this.stream.isTTY) this.stream.write("\r\u001b[K");
    this.stream.write(`${this.name}: ${line}\n`);
  }

  /** The run is over: the line goes away. */
  end(): void {
    if (this.stream.isTTY) this.stream.write("\r\u001b[K");
  }
}
