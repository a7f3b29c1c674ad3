import type { RedisDatabase } from "js-redis-server/core";

type Turn = Awaited<ReturnType<RedisDatabase["turnQueue"]["waitTurn"]>>;

/**
 * Lets the commands, transactions and scripts of all databases run one at a time. A blocking command that got its data goes before commands
 * that have not begun. Several such commands run in the order in which they got their data. It replaces the library's queues, which are
 * one for each database, and give the next turn to the command that was woken last.
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
