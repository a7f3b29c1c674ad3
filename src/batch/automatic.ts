import type { Command, Core } from "../core.js";
import { timeLeft } from "../settings.js";
import type { Word } from "../wire/words.js";
import { sendEach, type Waiting } from "./each.js";

/** The most commands, and the most bytes of words, that travel in one request. */
const MOST_COMMANDS = 1_000;
const MOST_BYTES = 512 * 1024;

/** Settled already: what its `then` is given runs in the microtask turn. */
const microtask = Promise.resolve();

/**
 * Collects the commands issued in one microtask turn and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests at the same time. Each command has its own fate.
 */
export class AutomaticBatch {
  #waiting: Waiting[] = [];
  #bytes = 0;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  add(command: Command): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const bytes = sizeOf(command.words);
      const full = this.#waiting.length === MOST_COMMANDS || this.#bytes + bytes > MOST_BYTES;
      if (full) this.#flush();
      if (this.#waiting.length === 0) microtask.then(this.#flush);
      this.#bytes += bytes;
      this.#waiting.push({ command, resolve, reject });
    });
  }

  readonly #flush = (): void => {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    try {
      if (batch.length === 1) this.#core.runOne(batch[0]!);
      else if (batch.length > 1) sendEach(this.#core, batch, timeLeft(this.#core.settings));
    } catch (error) {
      // Such as what the function that tells the deadline throws.
      for (const { reject } of batch) reject(error);
    }
  };
}

/** About as many bytes as the words take; exact for ASCII. */
function sizeOf(words: readonly Word[]): number {
  let size = 0;
  for (const word of words) size += word.length + 3;
  return size;
}
