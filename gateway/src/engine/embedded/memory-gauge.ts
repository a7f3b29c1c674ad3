import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MB = 1024 * 1024;
/** Bytes that may be added between two looks at the real figure. */
const MOST_UNSEEN = 16 * MB;
/** A full collection takes tens of milliseconds, so it may not be asked for more often than this. */
const COLLECT_EVERY_MS = 500;

/** Knows, cheaply enough to be asked before every write, whether this thread's memory is used up. */
export class MemoryGauge {
  readonly #limit: number;
  readonly #used: () => number;
  readonly #collect: () => void;
  /** Bytes that may still be added before the next look. */
  #unseen = 0;
  #collectedAt = Number.NEGATIVE_INFINITY;

  /** @param limit in bytes; the other two are there for tests. */
  constructor(limit: number, used: () => number = threadMemory, collect: () => void = collector()) {
    this.#limit = limit;
    this.#used = used;
    this.#collect = collect;
  }

  /** True when there is room for a command that adds about this many bytes. */
  admits(bytes: number): boolean {
    this.#unseen -= bytes;
    if (this.#unseen >= 0) return true;
    let used = this.#used() + bytes;
    if (used > this.#limit && performance.now() - this.#collectedAt >= COLLECT_EVERY_MS) {
      // Most of it may be garbage: values are copied on their way in and out.
      this.#collect();
      this.#collectedAt = performance.now();
      used = this.#used() + bytes;
    }
    if (used > this.#limit) {
      this.#unseen = 0;
      return false;
    }
    this.#unseen = Math.min(MOST_UNSEEN, (this.#limit - used) / 2);
    return true;
  }

  /** Makes the next command look at the real figure, after one whose cost could not be told before. */
  lookAgain(): void {
    this.#unseen = 0;
  }
}

/** Memory of this thread in bytes: its JavaScript heap and the buffers that hang on it. */
function threadMemory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** V8 shows its collector only to a context made after this flag; nothing else changes by it. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
