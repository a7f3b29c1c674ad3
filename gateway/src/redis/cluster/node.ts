import { command } from "../../resp/command.js";
import { systemClock } from "../../util/clock.js";
import type { MultiplexedConnection } from "../multiplexed-connection.js";
import { Server, type ServerOptions } from "../server.js";

const READONLY = command("READONLY");
/** Time in ms for which a failing node is skipped: after the first failure, and at most. Each failure in a row doubles it. */
const INITIAL_EJECTION = 1_000;
const MAX_EJECTION = 30_000;

/** One node of a cluster, and its failures. */
export class Node extends Server {
  /** Connections for reads from a replica, as many as the shared ones. Created at the first such read. */
  #readers: readonly MultiplexedConnection[] | null = null;
  #ejections = 0;
  #ejectedUntil = 0;

  constructor(
    readonly name: string,
    options: ServerOptions,
    private readonly clock = systemClock,
  ) {
    super(options);
  }

  /** Returns the shared connection with this index. Reads from a replica have separate connections. */
  connection(connectionIndex: number, fromReplica: boolean): MultiplexedConnection {
    if (fromReplica) this.#readers ??= this.addConnections(READONLY);
    const connections = fromReplica ? this.#readers! : this.shared;
    return connections[connectionIndex % connections.length]!;
  }

  /** Whether the node has failed recently, so that others are preferred. */
  get isEjected(): boolean {
    return this.#ejectedUntil > this.clock.now();
  }

  /** Records a missing reply, and ejects the node. Returns false if it was ejected already. */
  failed(): boolean {
    if (this.isEjected) return false;
    this.#ejectedUntil = this.clock.now() + Math.min(MAX_EJECTION, INITIAL_EJECTION * 2 ** this.#ejections++);
    return true;
  }

  /** Records a reply. */
  succeeded(): void {
    if (this.#ejections === 0) return;
    this.#ejections = 0;
    this.#ejectedUntil = 0;
  }
}
