import type { Command, Core } from "../core.js";
import { timeLeft } from "../settings.js";
import type { Word } from "../wire/words.js";
import { sendEach, type Waiting } from "./each.js";

/** The most commands, and the most bytes of words, that travel in one request. */
const MOST_COMMANDS = 1_000;
const MOST_BYTES = 512 * 1024;

/** Settled already: what its `then` is given runs in the microtask turn. */
const microtask = Promise.resolve();

/** Commands issued in one microtask turn. */
export interface Turn {
  waiting: Waiting[];
  bytes: number;
  /** How many of them can't be sent yet: those that can wait with them. */
  held: number;
}

/**
 * Collects the commands issued in one microtask turn and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests at the same time. Each command has its own fate. Where several requests
 * are served in one process, those of one never travel with those of another, even if all had to wait.
 */
export class AutomaticBatch {
  #turn: Turn | undefined;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** That of the commands issued now. */
  get turn(): Turn {
    if (this.#turn) return this.#turn;
    const turn: Turn = { waiting: [], bytes: 0, held: 0 };
    this.#turn = turn;
    microtask.then(() => {
      this.#turn = undefined;
      this.#flush(turn);
    });
    return turn;
  }

  /** One that was held no longer is: what it waited for is there, or never will be. */
  release(turn: Turn): void {
    if (--turn.held === 0) microtask.then(() => this.#flush(turn));
  }

  /** @param turn when it was issued: earlier than now if it had to wait. */
  add(command: Command, turn = this.turn): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const bytes = sizeOf(command.words);
      const full = turn.waiting.length === MOST_COMMANDS || turn.bytes + bytes > MOST_BYTES;
      if (full) this.#send(turn);
      turn.bytes += bytes;
      turn.waiting.push({ command, resolve, reject });
    });
  }

  #flush(turn: Turn): void {
    if (turn.held === 0) this.#send(turn);
  }

  #send(turn: Turn): void {
    const batch = turn.waiting;
    turn.waiting = [];
    turn.bytes = 0;
    try {
      if (batch.length === 1) this.#core.runOne(batch[0]!);
      else if (batch.length > 1) sendEach(this.#core, batch, timeLeft(this.#core.settings));
    } catch (error) {
      // Such as what the function that tells the deadline throws.
      for (const { reject } of batch) reject(error);
    }
  }
}

/** About as many bytes as the words take; exact for ASCII. */
function sizeOf(words: readonly Word[]): number {
  let size = 0;
  for (const word of words) size += word.length + 3;
  return size;
}
