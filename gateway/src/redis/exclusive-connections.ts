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
/** Interval in ms between attempts to end blocked commands: the next command of a pipeline may block too. */
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

/** Connections to one server, each lent to one user at a time. `Upstream` describes the methods. */
export class ExclusiveConnections {
  readonly #blocking: Pool;
  readonly #transactions: Pool;
  /** Connections whose commands may block, each with the latest end of its waits, on the clock of `performance.now()`. */
  readonly #waiting = new Map<MultiplexedConnection, number>();
  /** Sends CLIENT UNBLOCK while the gateway is closing. */
  #unblocker: MultiplexedConnection | null = null;
  #unblockTimer: NodeJS.Timeout | undefined;
  #ending = false;

  /** @param connectionOptions options of all connections, including those for subscriptions and MONITOR */
  constructor(
    readonly connectionOptions: MultiplexedConnectionOptions,
    { maxBlockingConnections, maxTransactionConnections }: ExclusiveConnectionsOptions,
  ) {
    const { handshake } = connectionOptions;
    const identified = { ...connectionOptions, handshake: [...handshake, CLIENT_ID] };
    this.#blocking = new Pool(identified, maxBlockingConnections, "maxBlockingConnections");
    // The handshake fails for a user that may not run MULTI: its commands would run one by one, not as a whole.
    const withMulti = { ...connectionOptions, handshake: [...handshake, MULTI, DISCARD] };
    this.#transactions = new Pool(withMulti, maxTransactionConnections, "maxTransactionConnections");
  }

  /** Number of connections, lent or idle. */
  get connections(): { blocking: number; transactions: number } {
    return { blocking: this.#blocking.size, transactions: this.#transactions.size };
  }

  sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel {
    return this.#lend(this.#blocking, commands, receiver, deadline, waits);
  }

  endWaits(within: number): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#blocking.stopLending(ENDED);
    this.#unblock(performance.now() + within);
  }

  /** Runs commands between MULTI and EXEC; `multi` replaces the plain MULTI, for instance to send ASKING with it. */
  transaction(
    commands: readonly Command[],
    receiver: TransactionReceiver,
    deadline?: number,
    multi = MULTI,
  ): Cancel {
    const refused = new Map<number, Buffer>();
    let failure: UpstreamFailure | null = null;
    const last = commands.length + 1;
    const adapter: Receiver = {
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
    return this.#lend(this.#transactions, [multi, ...commands, EXEC], adapter, deadline);
  }

  close(): void {
    clearTimeout(this.#unblockTimer);
    this.#unblocker?.close();
    this.#blocking.close();
    this.#transactions.close();
  }

  #unblock(until: number): void {
    const waiting = [...this.#waiting.keys()];
    if (waiting.length === 0) {
      this.#unblocker?.close();
      return;
    }
    const closeIfTooLong = (connection: MultiplexedConnection) => {
      if ((this.#waiting.get(connection) ?? 0) > until) connection.close();
    };
    const identified = waiting.filter(({ clientId }) => clientId !== null);
    // Without an id, a connection is not up yet, or its user may not run CLIENT ID.
    for (const connection of waiting) if (connection.clientId === null) closeIfTooLong(connection);
    if (identified.length > 0) {
      this.#unblocker ??= new MultiplexedConnection({ ...this.connectionOptions, reconnect: "never" });
      this.#unblocker.send(
        identified.map(({ clientId }) => command("CLIENT", "UNBLOCK", clientId!)),
        {
          cancelled: false,
          onReply: (reply, tag) => isError(reply) && closeIfTooLong(identified[tag]!),
          onFailure: (_failure, tag) => closeIfTooLong(identified[tag]!),
        },
      );
    }
    this.#unblockTimer = setTimeout(() => this.#unblock(until), UNBLOCK_EVERY).unref();
  }

  #lend(
    pool: Pool,
    commands: readonly Command[],
    receiver: Receiver,
    deadline = performance.now() + this.connectionOptions.timeout,
    waits?: readonly number[],
  ): Cancel {
    const { activity } = this.connectionOptions;
    let lent: MultiplexedConnection | null = null;
    let lentAt = 0;
    /** For each command, the maximum time in ms that it and the commands before it block in all. */
    const sums: number[] = [];
    for (const wait of waits ?? []) sums.push((sums.at(-1) ?? 0) + wait);
    let open = commands.length;
    let failed = false;
    const settle = (hasFailed: boolean) => {
      failed ||= hasFailed;
      if (--open > 0 || !lent) return;
      const connection = lent;
      lent = null;
      activity?.giveBack();
      this.#waiting.delete(connection);
      // After a failure, Redis may be in the middle of a transaction.
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
        lentAt = performance.now();
        if (waits) this.#waiting.set(connection, lentAt + sums.at(-1)!);
        connection.send(commands, loan, deadline, waits && ((index) => sums[index]!));
      },
      onRefused(failure) {
        for (let tag = 0; tag < commands.length; tag++) receiver.onFailure(failure, tag);
      },
      onReply: (reply, tag) => {
        settle(false);
        // A command ended by CLIENT UNBLOCK replies as if it had timed out.
        const isEnded = this.#ending && waits && waits[tag]! > 0 && performance.now() < lentAt + sums[tag]!;
        if (isEnded && isNull(reply)) receiver.onFailure(ENDED, tag);
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
}

/** Whether a reply is null, `$-1` or `*-1`: the reply of a blocking command that timed out. */
function isNull(reply: Buffer): boolean {
  return reply[1] === MINUS && (reply[0] === STAR || reply[0] === DOLLAR);
}
