import { type Command, command } from "./command.js";
import { type Receiver, UpstreamFailure } from "./failure.js";
import type { Pipe, PipeOptions } from "./pipe.js";
import { type Borrower, Pool } from "./pool.js";
import type { Cancel, TransactionReceiver } from "./upstream.js";

const MULTI = command("MULTI");
const EXEC = command("EXEC");
const DISCARD = command("DISCARD");
const MINUS = 0x2d;

/** How many connections of one server may be lent. */
export interface SingleUseOptions {
  /** Connections for commands that wait at the server, one each while they wait. */
  readonly maxBlocking: number;
  /** Connections for transactions, one each while they run. */
  readonly maxTransactions: number;
}

/** Connections of one server that are lent to one use at a time. */
export class SingleUse {
  readonly #blocking: Pool;
  readonly #transactions: Pool;
  readonly #timeout: number;

  constructor(pipe: PipeOptions, { maxBlocking, maxTransactions }: SingleUseOptions) {
    this.#timeout = pipe.timeout;
    const bounds = { maxWaiting: 1_000 };
    this.#blocking = new Pool(pipe, { max: maxBlocking, ...bounds });
    // A user that may not use MULTI is found out here: its commands would run one by one, not as a whole.
    const proven = { ...pipe, handshake: [...pipe.handshake, MULTI, DISCARD] };
    this.#transactions = new Pool(proven, { max: maxTransactions, ...bounds });
  }

  /** Connections lent or kept. */
  get connections(): { blocking: number; transactions: number } {
    return { blocking: this.#blocking.size, transactions: this.#transactions.size };
  }

  /**
   * Sends commands in their order on a connection of their own; `waits` says how long each may wait, in ms, beyond the
   * deadline.
   */
  send(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel {
    let extra = 0;
    const sums = waits.map((wait) => {
      extra += wait;
      return extra;
    });
    return this.#lend(this.#blocking, commands, receiver, deadline, (index) => sums[index]!);
  }

  /** Runs commands between MULTI and EXEC; `multi` is what to begin with in place of a plain MULTI. */
  transaction(
    commands: readonly Command[],
    receiver: TransactionReceiver,
    deadline?: number,
    multi = MULTI,
  ): Cancel {
    const refused = new Map<number, Buffer>();
    let failure: UpstreamFailure | null = null;
    const last = commands.length + 1;
    const through: Receiver = {
      get abandoned() {
        return receiver.abandoned;
      },
      onReply(reply, tag) {
        if (tag === last) {
          if (failure) receiver.onFailure(failure);
          else receiver.onExec(reply, refused);
        } else if (reply[0] === MINUS) {
          if (tag > 0) refused.set(tag - 1, reply);
          else failure = new UpstreamFailure("lost", "Redis refused MULTI, so the commands ran one by one");
        }
      },
      onFailure(error, tag) {
        failure ??= error;
        if (tag === last) receiver.onFailure(failure);
      },
    };
    return this.#lend(this.#transactions, [multi, ...commands, EXEC], through, deadline);
  }

  /** Ends every connection. */
  close(): void {
    this.#blocking.close();
    this.#transactions.close();
  }

  #lend(
    pool: Pool,
    commands: readonly Command[],
    receiver: Receiver,
    deadline = performance.now() + this.#timeout,
    extra?: (index: number) => number,
  ): Cancel {
    let lent: Pipe | null = null;
    let open = commands.length;
    let failed = false;
    const settle = () => {
      if (--open > 0 || !lent) return;
      const pipe = lent;
      lent = null;
      // What was not written may be the end of a transaction, whose beginning Redis holds.
      if (failed) pipe.close();
      else pool.giveBack(pipe);
    };
    const through: Receiver = {
      get abandoned() {
        return receiver.abandoned;
      },
      onReply(reply, tag) {
        settle();
        receiver.onReply(reply, tag);
      },
      onFailure(failure, tag) {
        failed = true;
        settle();
        receiver.onFailure(failure, tag);
      },
    };
    const borrower: Borrower = {
      get abandoned() {
        return receiver.abandoned;
      },
      onPipe(pipe) {
        lent = pipe;
        pipe.send(commands, through, { deadline, extra });
      },
      onFailure(failure) {
        for (let tag = 0; tag < commands.length; tag++) receiver.onFailure(failure, tag);
      },
    };
    pool.borrow(borrower, deadline);
    return () => {
      lent?.close();
    };
  }
}
