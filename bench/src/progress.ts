const EVERY_MS = 5_000;

/** Prints the progress of a run on stderr: one updated line on a terminal, else a line every 5 s. */
export class Progress {
  private printedAt = 0;
  private readonly begunAt = performance.now();
  private at: string;

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly name: string,
  ) {
    this.at = `${name}: 0%`;
  }

  /** Reports that `done` of `total` steps are done and `what` is running. */
  step(done: number, total: number, what: string): void {
    const spent = (performance.now() - this.begunAt) / 1_000;
    // The first steps may only start servers.
    const left = done > 0 && spent > 5 ? `, about ${Math.ceil((spent / done) * (total - done))} s left` : "";
    this.at = `${this.name}: ${Math.round((100 * done) / total)}%, ${Math.round(spent)} s${left}`;
    this.note(what);
  }

  /** Reports what is running within a step. */
  note(what: string): void {
    const now = performance.now();
    const line = `${this.at} (${what})`;
    if (this.stream.isTTY) this.stream.write(`\r${line.slice(0, (this.stream.columns ?? 80) - 1)}\u001b[K`);
    else if (now - this.printedAt >= EVERY_MS || this.printedAt === 0) {
      this.printedAt = now;
      this.stream.write(`${line}\n`);
    }
  }

  /** Clears the progress line at the end of the run. */
  end(): void {
    if (this.stream.isTTY) this.stream.write("\r\u001b[K");
  }
}
