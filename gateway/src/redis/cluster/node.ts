import { command } from "../../resp/command.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { ExclusiveConnections, type ExclusiveConnectionsOptions } from "../exclusive-connections.js";
import { MultiplexedConnection, type MultiplexedConnectionOptions } from "../multiplexed-connection.js";

const READONLY = command("READONLY");
/** Time in ms for which a failing node is skipped, at first and at most. It doubles each time. */
const INITIAL_EJECTION = 1_000;
const MAX_EJECTION = 30_000;

export interface NodeOptions extends ExclusiveConnectionsOptions {
  readonly connectionOptions: MultiplexedConnectionOptions;
  /** Number of connections shared by ordinary commands. Reads from a replica have as many, opened when needed. */
  readonly connections: number;
  /** The clock of ejections. Default: the system's. */
  readonly clock?: Clock;
}

/** One node of a cluster, and its failures. */
export class Node {
  readonly exclusive: ExclusiveConnections;
  readonly #clock: Clock;
  readonly #shared: MultiplexedConnection[];
  #readers: MultiplexedConnection[] = [];
  #ejections = 0;
  #ejectedUntil = 0;

  constructor(
    readonly name: string,
    private readonly options: NodeOptions,
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#shared = Array.from(
      { length: options.connections },
      () => new MultiplexedConnection(options.connectionOptions),
    );
    this.exclusive = new ExclusiveConnections(options.connectionOptions, options);
  }

  /** Returns the shared connection of this number. Reads from a replica have separate connections. */
  connection(connectionIndex: number, fromReplica: boolean): MultiplexedConnection {
    const connections = fromReplica ? this.#replicaConnections() : this.#shared;
    return connections[connectionIndex % connections.length]!;
  }

  open(): void {
    for (const connection of this.#shared) connection.open();
  }

  get shared(): number {
    return [...this.#shared, ...this.#readers].filter((connection) => connection.ready).length;
  }

  get pending(): number {
    return [...this.#shared, ...this.#readers].reduce((sum, connection) => sum + connection.pending, 0);
  }

  /** Whether the node has failed recently, so that others are preferred. */
  get isEjected(): boolean {
    return this.#ejectedUntil > this.#clock.now();
  }

  /** Records a missing reply. Returns whether the node counted as working before. */
  failed(): boolean {
    if (this.isEjected) return false;
    this.#ejectedUntil =
      this.#clock.now() + Math.min(MAX_EJECTION, INITIAL_EJECTION * 2 ** this.#ejections++);
    return true;
  }

  /** Records a reply. */
  succeeded(): void {
    if (this.#ejections === 0) return;
    this.#ejections = 0;
    this.#ejectedUntil = 0;
  }

  close(): void {
    for (const connection of [...this.#shared, ...this.#readers]) connection.close();
    this.exclusive.close();
  }

  #replicaConnections(): MultiplexedConnection[] {
    if (this.#readers.length === 0) {
      const { connectionOptions } = this.options;
      const options = { ...connectionOptions, handshake: [...connectionOptions.handshake, READONLY] };
      this.#readers = this.#shared.map(() => new MultiplexedConnection(options));
    }
    return this.#readers;
  }
}
