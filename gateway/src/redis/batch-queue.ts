import { Fifo } from "../util/fifo.js";
import type { CommandBatch } from "./command-batch.js";

/** Batches with commands that wait to be written, a chunk of each in rotation. */
export class BatchQueue {
  readonly #next = new Fifo<CommandBatch>();
  /** Batches that wait for replies before their next chunk. */
  readonly #resting = new Set<CommandBatch>();
  waiting = 0;
  /** Commands that wait and belong to batches of more than one chunk. */
  waitingInLong = 0;

  /** Batches that may be written next. */
  get size(): number {
    return this.#next.size;
  }

  add(batch: CommandBatch): void {
    this.#count(batch, batch.left);
    this.#next.push(batch);
  }

  /** Takes out the batch that may be written next. */
  shift(): CommandBatch | undefined {
    return this.#next.shift();
  }

  took(batch: CommandBatch): void {
    this.#count(batch, -1);
  }

  /** A batch that was taken out is not put back. */
  drop(batch: CommandBatch): void {
    this.#count(batch, -batch.left);
  }

  /** A batch that was taken out waits for replies before its next chunk, if it has one. */
  rest(batch: CommandBatch): void {
    if (!batch.isEmpty) this.#resting.add(batch);
  }

  /** A batch may send its next chunk. Returns whether it waited for that. */
  wake(batch: CommandBatch): boolean {
    if (!this.#resting.delete(batch)) return false;
    this.#next.push(batch);
    return true;
  }

  /** Calls `take` for each command whose deadline is over. Returns the next deadline. */
  expire(now: number, take: (batch: CommandBatch) => void): number {
    let due = Number.POSITIVE_INFINITY;
    for (const batch of [...this.#resting, ...this.#next]) {
      while (!batch.isEmpty && batch.deadline <= now) {
        this.took(batch);
        take(batch);
      }
      if (batch.isEmpty) this.#resting.delete(batch);
      else due = Math.min(due, batch.deadline);
    }
    return due;
  }

  /** Takes out the batches that `which` selects. The others may be written next. */
  remove(which: (batch: CommandBatch) => boolean): CommandBatch[] {
    const removed: CommandBatch[] = [];
    const batches = [...this.#resting, ...this.#next.drain()];
    this.#resting.clear();
    for (const batch of batches) {
      if (which(batch)) removed.push(batch);
      else this.#next.push(batch);
    }
    for (const batch of removed) this.#count(batch, -batch.left);
    return removed;
  }

  #count(batch: CommandBatch, more: number): void {
    this.waiting += more;
    if (batch.isLong) this.waitingInLong += more;
  }
}
