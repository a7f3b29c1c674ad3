import type { Duplex } from "node:stream";
import { type Command, command } from "./command.js";
import { type Receiver, UpstreamFailure } from "./failure.js";
import type { FeedOptions } from "./feed.js";
import { Pipe, type PipeCounters, type PipeOptions } from "./pipe.js";
import { Pool } from "./pool.js";
import type { Cancel, TransactionReceiver, Upstream } from "./upstream.js";

/** How the gateway talks to one Redis server. */
export interface ServerOptions {
  readonly connect: () => Duplex;
  /** Sent first on every new connection: AUTH, SELECT. */
  readonly handshake?: readonly Command[];
  /** How long a command may take, in ms; a blocking one so much longer as it asks for. */
  readonly timeout: number;
  /** Connections shared by ordinary commands. */
  readonly connections: number;
  /** Connections for commands that wait at the server, one each while they wait. */
  readonly maxBlocking: number;
  /** Connections for transactions, one each while they run. */
  readonly maxTransactions: number;
  /** Commands waiting or unanswered on one shared connection before more are refused. */
  readonly maxPending: number;
  /** The largest reply passed on, in bytes. */
  readonly maxReply: number;
}

const PING = command("PING");
const MULTI = command("MULTI");
const EXEC = command("EXEC");
const DISCARD = command("DISCARD");
const MINUS = 0x2d;

/** One Redis server: few shared connections for all, and bounded ones for what needs its own. */
export class Server implements Upstream {
  readonly counters: PipeCounters = { opened: 0, lost: 0, commands: 0, timeouts: 0 };
  readonly #pipes: Pipe[];
  readonly #blocking: Pool;
  readonly #transactions: Pool;
  readonly #timeout: number;
  /** How connections are made on which replies come unasked. */
  readonly feedOptions: FeedOptions;

  constructor(options: ServerOptions) {
    const { connections, timeout, maxBlocking, maxTransactions, handshake = [] } = options;
    this.#timeout = timeout;
    const pipe: PipeOptions = {
      connect: options.connect,
      // A PING first: a server at its limit of clients answers the first command with an error and hangs up.
      handshake: [...handshake, PING],
      timeout,
      patience: timeout,
      maxPending: options.maxPending,
      maxReply: options.maxReply,
      reconnect: "always",
      counters: this.counters,
    };
    this.feedOptions = pipe;
    this.#pipes = Array.from({ length: connections }, () => new Pipe(pipe));
    this.#blocking = new Pool(pipe, { max: maxBlocking, maxWaiting: 1_000, wait: timeout });
    // A user that may not use MULTI is found out here: its commands would run one by one, not as a whole.
    const proven = { ...pipe, handshake: [...handshake, PING, MULTI, DISCARD] };
    this.#transactions = new Pool(proven, { max: maxTransactions, maxWaiting: 1_000, wait: timeout });
  }

  /** Starts to connect, so that the first command finds the connection open. */
  open(): void {
    for (const pipe of this.#pipes) pipe.open();
  }

  /** Connections to Redis that are open for sharing, and that are lent or kept for single use. */
  get connections(): { shared: number; blocking: number; transactions: number } {
    return {
      shared: this.#pipes.filter((pipe) => pipe.ready).length,
      blocking: this.#blocking.size,
      transactions: this.#transactions.size,
    };
  }

  /** Commands waiting or unanswered on the shared connections. */
  get pending(): number {
    return this.#pipes.reduce((sum, pipe) => sum + pipe.pending, 0);
  }

  /** Sends commands in their order on one shared connection; the tag of each is its place. */
  send(commands: readonly Command[], receiver: Receiver): void {
    let pipe = this.#pipes[0]!;
    for (const other of this.#pipes) if (other.pending < pipe.pending) pipe = other;
    pipe.send(commands, receiver);
  }

  /**
   * Sends commands in their order on a connection that nobody else uses meanwhile. `waits` says how long each
   * may wait at the server, in ms.
   */
  sendAlone(commands: readonly Command[], waits: readonly number[], receiver: Receiver): Cancel {
    let extra = 0;
    const sums = waits.map((wait) => {
      extra += wait;
      return extra;
    });
    return this.#alone(this.#blocking, commands, receiver, (index) => sums[index]!);
  }

  /** Runs commands between MULTI and EXEC. */
  transaction(commands: readonly Command[], receiver: TransactionReceiver): Cancel {
    const refused = new Map<number, Buffer>();
    let failure: UpstreamFailure | null = null;
    const last = commands.length + 1;
    return this.#alone(this.#transactions, [MULTI, ...commands, EXEC], {
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
    });
  }

  /** Whether Redis answers now, within `timeout` ms. */
  ping(timeout = this.#timeout): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeout);
      const done = (up: boolean) => {
        clearTimeout(timer);
        resolve(up);
      };
      // NOPERM is an answer too.
      this.send([PING], { abandoned: false, onReply: () => done(true), onFailure: () => done(false) });
    });
  }

  /** Ends every connection. */
  close(): void {
    for (const pipe of this.#pipes) pipe.close();
    this.#blocking.close();
    this.#transactions.close();
  }

  #alone(
    pool: Pool,
    commands: readonly Command[],
    receiver: Receiver,
    extra?: (index: number) => number,
  ): Cancel {
    let lent: Pipe | null = null;
    let open = commands.length;
    const settle = () => {
      if (--open > 0 || !lent) return;
      const pipe = lent;
      lent = null;
      pool.giveBack(pipe);
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
        settle();
        receiver.onFailure(failure, tag);
      },
    };
    pool.borrow({
      get abandoned() {
        return receiver.abandoned;
      },
      onPipe(pipe) {
        lent = pipe;
        pipe.send(commands, through, { extra });
      },
      onFailure(failure) {
        for (let tag = 0; tag < commands.length; tag++) receiver.onFailure(failure, tag);
      },
    });
    return () => {
      lent?.close();
    };
  }
}
