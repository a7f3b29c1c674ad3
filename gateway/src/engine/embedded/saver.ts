import type { CommandPlan, RedisServerState } from "js-redis-server/core";
import { type Clock, systemClock } from "../../util/clock.js";
import type { ExecutionPolicy } from "./guards.js";
import { SNAPSHOT_EVERY } from "./messages.js";
import { readSnapshot, writeSnapshot } from "./snapshot.js";

/** Commands that change data without a key among their arguments. */
const WITHOUT_KEYS = new Set(["flushall", "flushdb", "swapdb", "function"]);
/** Snapshots that take long are less frequent: writing them takes at most this share of the time. */
const MAX_SHARE = 1 / 20;

export interface SaverOptions {
  readonly state: RedisServerState;
  readonly file: string;
  /** Shows that the thread is alive. */
  readonly beat: () => void;
  /** Called after each snapshot: with null, or with the system's error code if it could not be written. */
  readonly onSaved: (failure: string | null) => void;
  /** The clock of the snapshots. Default: the system's. */
  readonly clock?: Clock;
}

/** Keeps the data of the embedded engine in a file: reads it at the start, and writes it while it changes. */
export class Saver {
  readonly #clock: Clock;
  /**
   * Number of snapshots still to be written. A command that changes data sets it to two, since the command may be counted
   * before its change is made, with the first snapshot in between.
   */
  #due = 0;
  #saving: Promise<void> = Promise.resolve();

  /** @throws {SnapshotError} when the file can't be read */
  constructor(private readonly options: SaverOptions) {
    this.#clock = options.clock ?? systemClock;
    readSnapshot(options.state, options.file, options.beat);
    this.#schedule(SNAPSHOT_EVERY);
  }

  /** Notices commands that may change data. */
  readonly policy: ExecutionPolicy = {
    name: "saver",
    beforeExecute: (plan) => {
      if (mayChange(plan)) this.#due = 2;
      return undefined;
    },
  };

  /** Writes a snapshot now, after one that is being written. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  #schedule(wait: number): void {
    this.#clock.setTimeout(async () => {
      const begun = this.#clock.now();
      if (this.#due > 0) await this.save();
      this.#schedule(Math.max(SNAPSHOT_EVERY, (this.#clock.now() - begun) / MAX_SHARE));
    }, wait);
  }

  async #write(): Promise<void> {
    const { state, file, beat, onSaved } = this.options;
    // Between commands and transactions: no command runs meanwhile.
    const turn = await state.databases[0]!.turnQueue.waitTurn();
    try {
      this.#due = Math.max(0, this.#due - 1);
      writeSnapshot(state, file, beat);
      onSaved(null);
    } catch (error) {
      this.#due = 2;
      onSaved((error as NodeJS.ErrnoException).code ?? (error as Error).name);
    } finally {
      turn.release();
    }
  }
}

function mayChange({ definition, flags, keys }: CommandPlan): boolean {
  if (flags.includes("readonly")) return false;
  return keys.length > 0 || WITHOUT_KEYS.has(definition.name);
}
