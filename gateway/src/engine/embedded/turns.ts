import type { RedisDatabase } from "js-redis-server/core";

type Turn = Awaited<ReturnType<RedisDatabase["turnQueue"]["waitTurn"]>>;

/**
 * The turns of commands, transactions and scripts of all databases, one at a time. A command that has waited for data comes before those
 * that have not begun, and two such commands come in the order in which they were served. The library has a queue for each database,
 * and gives the first turn to the one that was woken last.
 */
export class FairTurns {
  readonly #resumed: (() => void)[] = [];
  readonly #new: (() => void)[] = [];
  #isTaken = false;

  /** @param afterTurn called at the end of each turn, before another one begins */
  constructor(private readonly afterTurn: () => void) {}

  waitTurn(): Promise<Turn> {
    return new Promise((resolve) => {
      this.#new.push(() => resolve(this.#turn()));
      this.#next();
    });
  }

  #turn(): Turn {
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      this.afterTurn();
      this.#isTaken = false;
      this.#next();
    };
    const suspend = async (waitFor: Promise<unknown>) => {
      release();
      await waitFor;
      return new Promise<Turn>((resolve) => {
        this.#resumed.push(() => resolve(this.#turn()));
        this.#next();
      });
    };
    return { release, suspend };
  }

  #next(): void {
    if (this.#isTaken) return;
    const grant = this.#resumed.shift() ?? this.#new.shift();
    if (!grant) return;
    this.#isTaken = true;
    grant();
  }
}
