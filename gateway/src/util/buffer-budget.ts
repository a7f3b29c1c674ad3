import { totalmem } from "node:os";
import { systemClock } from "./clock.js";

/** Time in ms for which memory counts as short after bytes were refused. */
const SHORT_FOR = 5_000;
/** The share of the memory of the process that is buffered at most by default: what is read, copied and freed takes more. */
const SHARE = 1 / 4;
const MIN_BUDGET = 16 * 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly share: number;
  readonly done: (granted: boolean) => void;
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
  readonly #waiting: Waiting[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** @param limit in bytes; default: no limit */
  constructor(
    limit = Number.POSITIVE_INFINITY,
    private readonly clock = systemClock,
  ) {
    this.limit = limit;
  }

  /** Whether bytes were refused lately, or are being waited for. */
  get isShort(): boolean {
    return this.#waiting.length > 0 || this.clock.now() - this.#refusedAt < SHORT_FOR;
  }

  /** Whether more than half of the limit is in use. */
  get isTight(): boolean {
    return this.used > this.limit / 2;
  }

  /** Takes bytes. Returns false, and takes none, if more than this share of the limit would be in use then. */
  take(bytes: number, share = 1): boolean {
    if (this.used + bytes > this.limit * share) {
      this.#refusedAt = this.clock.now();
      return false;
    }
    this.used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.used -= bytes;
    if (this.#waiting.length > 0) this.#grant();
  }

  /** Takes bytes as {@link take} does, unless others wait for as large a share of the limit, or a larger one. */
  takeInTurn(bytes: number, share = 1): boolean {
    const mustWait = this.#waiting.length > 0 && this.#waiting.some((waiting) => waiting.share >= share);
    return !mustWait && this.take(bytes, share);
  }

  /**
   * Takes bytes now, or once enough are returned within `timeout` ms. `done` is called once, with whether the bytes were
   * taken, unless the returned function was called before. Waiting requests are served in their order. Those for a larger
   * share of the limit do not wait for those for a smaller one.
   */
  whenFree(bytes: number, share: number, timeout: number, done: (granted: boolean) => void): () => void {
    if (this.takeInTurn(bytes, share)) {
      done(true);
      return () => {};
    }
    // More than the limit never fits.
    if (bytes > this.limit * share) {
      done(false);
      return () => {};
    }
    const onTimeout = () => {
      this.#refusedAt = this.clock.now();
      this.#remove(waiting);
      done(false);
    };
    const waiting: Waiting = { bytes, share, done, timer: this.clock.setTimeout(onTimeout, timeout) };
    this.#waiting.push(waiting);
    return () => this.#remove(waiting);
  }

  /** Ends a wait. Requests behind it may fit. */
  #remove(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.clock.clear(waiting.timer);
    this.#grant();
  }

  #grant(): void {
    // Requests behind one that does not fit wait for their turn, unless their share is larger.
    let blocked = 0;
    for (const waiting of [...this.#waiting]) {
      const { bytes, share, done, timer } = waiting;
      // A receiver may have ended the wait of another.
      const at = this.#waiting.indexOf(waiting);
      if (at < 0 || share <= blocked) continue;
      if (this.used + bytes > this.limit * share) {
        blocked = share;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.clock.clear(timer);
      this.used += bytes;
      done(true);
    }
  }
}

/** A part of a budget for one use: its bytes count in the budget, and have a limit of their own. */
export class BudgetPart {
  readonly limit: number;
  #used = 0;

  /**
   * @param budget the budget, or a part of it
   * @param share the share of the budget's limit that the part may use
   */
  constructor(
    private readonly budget: Pick<BufferBudget, "limit" | "take" | "give">,
    share: number,
  ) {
    this.limit = budget.limit * share;
  }

  /** Takes bytes. Returns false, and takes none, if they do not fit in the part or in the budget. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.limit || !this.budget.take(bytes)) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
    this.budget.give(bytes);
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
