import { type Command, command } from "../resp/command.js";
import { isError, lineOf } from "../resp/replies.js";
import { ExclusiveConnections, type ExclusiveConnectionsOptions } from "./exclusive-connections.js";
import type { Receiver } from "./failure.js";
import { MultiplexedConnection, type MultiplexedConnectionOptions } from "./multiplexed-connection.js";
import type { Upstream } from "./upstream.js";

/** Options of the connections to one server. Without `reachability`, commands always wait for a connection. */
export interface ServerOptions
  extends ExclusiveConnectionsOptions,
    Omit<MultiplexedConnectionOptions, "handshake" | "connectTimeout" | "reconnect" | "unreachedReason"> {
  /** Sent first on every new connection: AUTH, SELECT. */
  readonly handshake?: readonly Command[];
  /** Connections shared by ordinary commands. */
  readonly connections: number;
  /** Default: the command timeout, but at most {@link MAX_CONNECT_TIMEOUT}. */
  readonly connectTimeout?: number;
  /** The policy of shared connections. Default: `always`. */
  readonly reconnect?: MultiplexedConnectionOptions["reconnect"];
}

export const PING = command("PING");

/** Timeout in ms for connecting to a server if commands have longer: the next attempt may reach the one that replaces it. */
const MAX_CONNECT_TIMEOUT = 2_000;

/** One Redis server: few shared connections for all, and bounded ones for what needs its own. */
export class Server extends ExclusiveConnections implements Upstream {
  readonly sharding = null;
  protected readonly shared: readonly MultiplexedConnection[];
  /** The shared connections, and those of {@link addConnections}. */
  readonly #all: MultiplexedConnection[] = [];
  /** Command timeout in ms. */
  readonly timeout: number;

  constructor(protected readonly options: ServerOptions) {
    super(connectionOptionsOf(options), options);
    this.timeout = options.timeout;
    this.shared = this.addConnections();
  }

  /** Adds as many connections as are shared, which send further commands first. */
  protected addConnections(...handshake: readonly Command[]): MultiplexedConnection[] {
    const { connections, reachability } = this.options;
    const { connectionOptions } = this;
    const options = {
      ...connectionOptions,
      handshake: [...connectionOptions.handshake, ...handshake],
      reachability,
    };
    const added = Array.from({ length: connections }, () => new MultiplexedConnection(options));
    this.#all.push(...added);
    return added;
  }

  open(): void {
    for (const connection of this.shared) connection.open();
  }

  /** Ends the pauses before the next attempts to connect. */
  readonly retryNow = (): void => {
    for (const connection of this.shared) connection.retryNow();
  };

  override get connections(): Upstream["connections"] {
    return { shared: this.#all.filter((connection) => connection.ready).length, ...super.connections };
  }

  /** Whether the server was never reached. */
  get isUnreached(): boolean {
    return this.options.reachability?.unreachedReason != null;
  }

  get pending(): number {
    return this.#all.reduce((sum, connection) => sum + connection.pending, 0);
  }

  send(commands: readonly Command[], receiver: Receiver, deadline?: number): void {
    let connection = this.shared[0]!;
    for (const other of this.shared) if (other.pending < connection.pending) connection = other;
    connection.send(commands, receiver, deadline);
  }

  ping(timeout = this.timeout): Promise<Buffer | null> {
    return pingReply(this, timeout);
  }

  override close(): void {
    for (const connection of this.#all) connection.close();
    super.close();
  }
}

/** Returns the options of every connection to a server. */
function connectionOptionsOf(options: ServerOptions): MultiplexedConnectionOptions {
  const { reachability, ...rest } = options;
  const { timeout, reconnect = "always", handshake = [] } = options;
  const { connectTimeout = Math.min(timeout, MAX_CONNECT_TIMEOUT) } = options;
  return {
    ...rest,
    // PING comes before any other, since a server at its limit of clients replies to the first command with an error and closes.
    handshake: [...handshake, PING],
    connectTimeout,
    reconnect,
    unreachedReason: reachability && (() => reachability.unreachedReason),
  };
}

/** Returns an upstream's reply to a PING; null without one within `timeout` ms. */
export function pingReply(upstream: Pick<Upstream, "send">, timeout: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), timeout);
    const done = (reply: Buffer | null) => {
      clearTimeout(timer);
      resolve(reply);
    };
    upstream.send([PING], { cancelled: false, onReply: done, onFailure: () => done(null) });
  });
}

/** Whether a reply to PING shows that the server refuses other commands, or writes. NOPERM concerns PING alone. */
export const isRefusing = (reply: Buffer): boolean =>
  isError(reply) && /^(BUSY|LOADING|MASTERDOWN|MISCONF|READONLY) /.test(lineOf(reply));
