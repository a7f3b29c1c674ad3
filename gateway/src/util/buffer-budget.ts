import { totalmem } from "node:os";

/** Time in ms for which memory counts as short after bytes were refused. */
const SHORT_FOR = 5_000;
/** The share of the memory of the process that is buffered at most by default: what is read, copied and freed takes more. */
const SHARE = 1 / 4;
const MIN_BUDGET = 16 * 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly share: number;
  /** Null once it was given up. */
  run: ((granted: boolean) => void) | null;
  readonly timer: NodeJS.Timeout;
}

/**
 * The bytes that may be buffered at a time for all requests together: bodies being read, replies on their way to their
 * readers. Bytes are taken before they are kept and given back when they are dropped.
 */
export class BufferBudget {
  readonly limit: number;
  /** Bytes taken now. */
  used = 0;
  #waiting: Waiting[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** @param limit in bytes; default: no limit */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  /** Whether bytes were refused lately, or are being waited for. */
  get isShort(): boolean {
    return this.#waiting.length > 0 || performance.now() - this.#refusedAt < SHORT_FOR;
  }

  /** Takes bytes. Returns false, and takes none, if more than this share of the limit would be in use then. */
  take(bytes: number, share = 1): boolean {
    if (this.used + bytes > this.limit * share) {
      this.#refusedAt = performance.now();
      return false;
    }
    this.used += bytes;
    return true;
  }

  /** Returns bytes to the budget. */
  give(bytes: number): void {
    this.used -= bytes;
    if (this.#waiting.length > 0) this.#grant();
  }

  /**
   * Takes bytes now, or once enough are returned within `timeout` ms. `done` is called once, with whether the bytes were
   * taken. Waiting requests are served in their order.
   */
  whenFree(bytes: number, share: number, timeout: number, done: (granted: boolean) => void): void {
    if (this.#waiting.length === 0 && this.take(bytes, share)) {
      done(true);
      return;
    }
    // More than the limit never fits.
    if (bytes > this.limit * share) {
      done(false);
      return;
    }
    const waiting: Waiting = {
      bytes,
      share,
      run: done,
      timer: setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#refusedAt = performance.now();
        waiting.run?.(false);
      }, timeout),
    };
    this.#waiting.push(waiting);
  }

  #grant(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (this.used + first.bytes > this.limit * first.share) return;
      this.#waiting.shift();
      clearTimeout(first.timer);
      this.used += first.bytes;
      first.run?.(true);
    }
  }
}

/** The default of `maxBufferedBytes`: a quarter of the memory that the process may use, in bytes. */
export function defaultBufferedBytes(): number {
  const total = totalmem();
  // 0, undefined or a number beyond all memory where no limit is set.
  const constrained = process.constrainedMemory?.() ?? 0;
  const memory = constrained > 0 ? Math.min(constrained, total) : total;
  return Math.max(MIN_BUDGET, Math.floor(memory * SHARE));
}
