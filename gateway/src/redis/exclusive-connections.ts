import { type Command, command } from "../resp/command.js";
import { isError } from "../resp/replies.js";
import { DOLLAR, MINUS, STAR } from "../util/bytes.js";
import { observed, type Receiver, UpstreamFailure } from "./failure.js";
import { MultiplexedConnection, type MultiplexedConnectionOptions } from "./multiplexed-connection.js";
import { type Borrower, Pool } from "./pool.js";
import { CLIENT_ID } from "./redis-socket.js";
import type { Cancel, TransactionReceiver } from "./upstream.js";

const MULTI = command("MULTI");
const EXEC = command("EXEC");
const DISCARD = command("DISCARD");
/** Interval in ms between attempts to end blocked commands, since the next command of a pipeline may block too. */
const UNBLOCK_EVERY = 100;
const ENDED = new UpstreamFailure(
  "ended",
  "the gateway is closing: the command was ended before it could run",
);

/** Limits on the exclusive connections of one server. */
export interface ExclusiveConnectionsOptions {
  /** Maximum number of connections for blocking commands. Each command uses one while it waits. */
  readonly maxBlockingConnections: number;
  /** Maximum number of connections for transactions. Each transaction uses one while it runs. */
  readonly maxTransactionConnections: number;
}

/** A connection on which commands wait at the server. */
interface Lent {
  readonly connection: MultiplexedConnection;
  /** End of their longest wait, on the clock of `performance.now()`. */
  readonly endsAt: number;
}

/** The waits of commands at the server. */
interface Waits {
  /** The longest wait of each command, in ms. */
  readonly each: readonly number[];
  /** For each command, the longest wait of it and those before it, in ms. */
  readonly sums: readonly number[];
  /** Start of the waits, on the clock of `performance.now()`. */
  from: number;
}

/** Connections of one server that are lent to one use at a time. */
export class ExclusiveConnections {
  readonly #blocking: Pool;
  readonly #transactions: Pool;
  /** Connections on which commands wait at the server, or may. */
  readonly #waiting = new Set<Lent>();
  /** Ends waits at the server, once the gateway is closing. */
  #unblocker: MultiplexedConnection | null = null;
  #again: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(
    private readonly connectionOptions: MultiplexedConnectionOptions,
    { maxBlockingConnections, maxTransactionConnections }: ExclusiveConnectionsOptions,
  ) {
    const numbered = { ...connectionOptions, handshake: [...connectionOptions.handshake, CLIENT_ID] };
    this.#blocking = new Pool(numbered, maxBlockingConnections, "maxBlockingConnections");
    // A user that may not use MULTI is found out here: its commands would run one by one, not as a whole.
    const proven = { ...connectionOptions, handshake: [...connectionOptions.handshake, MULTI, DISCARD] };
    this.#transactions = new Pool(proven, maxTransactionConnections, "maxTransactionConnections");
  }

  /** Connections lent or kept. */
  get connections(): { blocking: number; transactions: number } {
    return { blocking: this.#blocking.size, transactions: this.#transactions.size };
  }

  /**
   * Sends commands in their order on a connection of their own. `waits` is how long each may wait beyond the deadline, in ms.
   */
  send(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel {
    let sum = 0;
    const sums = waits.map((wait) => {
      sum += wait;
      return sum;
    });
    const waiting: Waits = { each: waits, sums, from: Number.POSITIVE_INFINITY };
    return this.#lend(this.#blocking, commands, receiver, deadline, waiting);
  }

  /**
   * Ends commands that block at the server, without running them. Later commands are refused. If this user may not run
   * CLIENT UNBLOCK, a command that would not end by itself within `within` ms loses its connection, and may have run.
   */
  endWaits(within: number): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#blocking.stopLending(ENDED);
    this.#unblock(performance.now() + within);
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
      get cancelled() {
        return receiver.cancelled;
      },
      onReply(reply, tag) {
        if (tag === last) {
          if (failure) receiver.onFailure(failure);
          else receiver.onExec(reply, refused);
        } else if (isError(reply)) {
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

  close(): void {
    clearTimeout(this.#again);
    this.#unblocker?.close();
    this.#blocking.close();
    this.#transactions.close();
  }

  #unblock(until: number): void {
    const waiting = [...this.#waiting];
    if (waiting.length === 0) {
      this.#unblocker?.close();
      return;
    }
    const cut = ({ connection, endsAt }: Lent) => {
      if (endsAt > until) connection.close();
    };
    const numbered = waiting.filter(({ connection }) => connection.clientId !== null);
    // The others are not connected: nothing was sent on them.
    for (const lent of waiting) if (lent.connection.clientId === null) cut(lent);
    if (numbered.length > 0) {
      this.#unblocker ??= new MultiplexedConnection({ ...this.connectionOptions, reconnect: "never" });
      this.#unblocker.send(
        numbered.map(({ connection }) => command("CLIENT", "UNBLOCK", connection.clientId!)),
        {
          cancelled: false,
          onReply: (reply, tag) => isError(reply) && cut(numbered[tag]!),
          onFailure: (_failure, tag) => cut(numbered[tag]!),
        },
      );
    }
    this.#again = setTimeout(() => this.#unblock(until), UNBLOCK_EVERY).unref();
  }

  #lend(
    pool: Pool,
    commands: readonly Command[],
    receiver: Receiver,
    deadline = performance.now() + this.connectionOptions.timeout,
    waits?: Waits,
  ): Cancel {
    const { activity } = this.connectionOptions;
    let lent: MultiplexedConnection | null = null;
    let waiting: Lent | null = null;
    let open = commands.length;
    let failed = false;
    const settle = (hasFailed: boolean) => {
      failed ||= hasFailed;
      if (--open > 0 || !lent) return;
      const connection = lent;
      lent = null;
      activity?.giveBack();
      if (waiting) this.#waiting.delete(waiting);
      // The unwritten part may be the end of a transaction that Redis has begun.
      if (failed) connection.close();
      else pool.release(connection);
    };
    const loan: Receiver & Borrower = {
      get cancelled() {
        return receiver.cancelled;
      },
      onConnection: (connection) => {
        lent = connection;
        activity?.lend();
        if (waits) {
          waits.from = performance.now();
          waiting = { connection, endsAt: waits.from + waits.sums.at(-1)! };
          this.#waiting.add(waiting);
        }
        connection.send(commands, loan, { deadline, extra: waits && ((index) => waits.sums[index]!) });
      },
      onRefused(failure) {
        for (let tag = 0; tag < commands.length; tag++) receiver.onFailure(failure, tag);
      },
      onReply: (reply, tag) => {
        settle(false);
        if (waits && this.#isEnded(waits, reply, tag)) receiver.onFailure(ENDED, tag);
        else receiver.onReply(reply, tag);
      },
      onLarge(tag, first) {
        const stream = receiver.onLarge?.(tag, first);
        return stream ? observed(stream, (failure) => settle(failure !== null)) : null;
      },
      onFailure(failure, tag) {
        settle(true);
        receiver.onFailure(failure, tag);
      },
    };
    pool.borrow(loan, deadline);
    return () => {
      lent?.close();
    };
  }

  /** Whether a command was ended at the server before its time: its reply is then that of one that timed out. */
  #isEnded({ each, sums, from }: Waits, reply: Buffer, tag: number): boolean {
    return this.#ending && each[tag]! > 0 && performance.now() < from + sums[tag]! && isNull(reply);
  }
}

/** Whether a reply is null, in either of its forms. It is the reply of a blocking command that timed out. */
function isNull(reply: Buffer): boolean {
  return reply[1] === MINUS && (reply[0] === STAR || reply[0] === DOLLAR);
}
