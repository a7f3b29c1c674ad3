import { type Entrant, Gate } from "./gate.js";
import { LimitExceeded } from "./limit-exceeded.js";
import type { SharedLimits, Shares } from "./shares.js";

/** How each limit is named in a message. */
const NAMES: Readonly<Record<keyof SharedLimits, string>> = {
  blocking: "connections for blocking commands",
  transactions: "connections for transactions",
  streams: "event streams",
  queued: "commands that may wait for Redis",
};

/** What one token has under way, held against its limits. */
export class Quota {
  readonly #shares: Shares;
  readonly #transactions = new Gate();
  #queued = 0;
  #blocking = 0;
  #streams = 0;

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#queued === 0 && this.#streams === 0;
  }

  /**
   * Counts commands that are about to be sent, until {@link leave}. A batch larger than the token's share is let in when
   * nothing else of the token is under way.
   * @param blocks whether one of them may wait at Redis, on a connection of its own
   * @throws {LimitExceeded}
   */
  enter(commands: number, blocks: boolean): void {
    const { max } = this.#shares;
    if (this.#queued > 0 && this.#queued + commands > max.queued) throw this.#exceeded("queued");
    if (blocks && this.#blocking >= max.blocking) throw this.#exceeded("blocking");
    this.#queued += commands;
    if (blocks) this.#blocking++;
  }

  /** Commands have been answered, or failed. */
  leave(commands: number, blocks: boolean): void {
    this.#queued -= commands;
    if (blocks) this.#blocking--;
  }

  /** Runs a transaction now, or once fewer of the token's transactions run than it may. {@link leaveTransaction} follows. */
  enterTransaction(transaction: Entrant): void {
    const { max, timeout } = this.#shares;
    this.#transactions.enter(transaction, max.transactions, timeout);
  }

  /** How long a transaction may take, the wait for its turn included, in ms. */
  get transactionTimeout(): number {
    return this.#shares.timeout;
  }

  /** Why a transaction did not get its turn. */
  get transactionsExceeded(): LimitExceeded {
    return this.#exceeded("transactions");
  }

  /** A transaction has been answered, or failed. */
  leaveTransaction(): void {
    this.#transactions.leave(this.#shares.max.transactions);
  }

  /**
   * Counts an event stream, until {@link leaveStream}.
   * @throws {LimitExceeded}
   */
  enterStream(): void {
    if (this.#streams >= this.#shares.max.streams) throw this.#exceeded("streams");
    this.#streams++;
  }

  /** An event stream has ended. */
  leaveStream(): void {
    this.#streams--;
  }

  #exceeded(limit: keyof SharedLimits): LimitExceeded {
    const { max, totals } = this.#shares;
    return new LimitExceeded(
      `this token has its share, ${max[limit]} of the ${totals[limit]} ${NAMES[limit]} (setting tokenShare)`,
    );
  }
}
