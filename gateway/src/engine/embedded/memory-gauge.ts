import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MB = 1024 * 1024;
/** Bytes that may be added between two readings of the real figure. */
const MAX_UNSEEN = 16 * MB;
/** After a collection that freed too little, the next one waits for ten times its duration, at most a second. */
const PAUSE_PARTS = 10;
const MAX_PAUSE_MS = 1000;
/** A collection must leave this share of the limit free. With less, every write near the limit would start another one. */
const SPARE_SHARE = 1 / 16;

/** Measures whether this thread's memory is used up, cheaply enough to check before every write. */
export class MemoryGauge {
  /** Bytes that may still be added before the next reading. */
  #unseen = 0;
  /** A collection has found too little, and memory has not shrunk since. */
  #full = false;
  /** No collection before this time of the thread's clock, in ms. */
  #pauseUntil = 0;

  /** @param limit in bytes; tests replace the other two */
  constructor(
    private readonly limit: number,
    private readonly used: () => number = threadMemory,
    private readonly collect: () => void = collector(),
  ) {}

  /** Whether there is room for a command that adds about this many bytes. */
  admits(bytes: number): boolean {
    this.#unseen -= bytes;
    if (this.#unseen >= 0) return true;
    this.#unseen = 0;
    const enough = this.limit * (1 - SPARE_SHARE);
    let used = this.used() + bytes;
    const begun = performance.now();
    if (used > (this.#full ? enough : this.limit)) {
      if (begun < this.#pauseUntil) return false;
      // Most of it may be garbage: values are copied on their way in and out.
      this.collect();
      used = this.used() + bytes;
      this.#full = used > enough;
      if (this.#full) {
        const ended = performance.now();
        this.#pauseUntil = ended + Math.min(PAUSE_PARTS * (ended - begun), MAX_PAUSE_MS);
        return false;
      }
    }
    this.#full = false;
    this.#unseen = Math.min(MAX_UNSEEN, (this.limit - used) / 2);
    return true;
  }

  /** Makes the next command read the real figure. Called after a command that added or freed an unknown amount. */
  lookAgain(): void {
    this.#unseen = 0;
    this.#pauseUntil = 0;
  }
}

/**
 * Memory of this thread in bytes: its JavaScript heap and the buffers that hang on it. Lua's own memory
 * is left out; it has a fixed bound of 64 MB.
 */
function threadMemory(): number {
  // Not `external`: that figure trails the buffers that were freed by one collection or more.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** V8 shows its collector only to a context made after this flag; nothing else changes by it. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return () => {
    collect();
    // Buffers found to be garbage are given back in the background; a second round waits for that.
    collect();
  };
}
