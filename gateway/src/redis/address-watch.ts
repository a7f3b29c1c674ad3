import { PrimaryFinder } from "./primary-finder.js";
import type { Reachability } from "./reachability.js";
import { type ConnectionWatch, RedisSocket, type RedisSocketOptions } from "./redis-socket.js";
import type { Refusal } from "./refusal.js";

/** Minimum interval in ms between two connections that find out where the address leads, if it has ever led to a primary. */
const GAP = 250;
/** The same, if it has never led to a primary. */
const CALM_GAP = 10_000;

const REPLICA = "READONLY Redis is a replica at present, and its address leads to no primary";

/** A server process and its last known role. */
interface ServerState {
  readonly id: string;
  isPrimary: boolean;
}

/**
 * Keeps all connections on one server, although its address may come to lead to another: after a failover behind a load balancer, a
 * Kubernetes Service or a DNS name. Every new connection tells which server it has reached. If that is another primary, all others
 * follow. If a server refuses writes, a further connection finds out where the address leads now.
 *
 * An address that leads to a replica on purpose, or to several replicas, is left alone. `identified` is emitted
 * when it is known whether the address leads to a node of a cluster.
 */
export class AddressWatch extends PrimaryFinder implements ConnectionWatch {
  readonly #options: RedisSocketOptions;
  readonly #connections = new Map<RedisSocket, string | null>();
  /** Servers that connections were moved from: an address that leads to several primaries in turn must not move them for ever. */
  readonly #left = new Set<string>();
  /** Whether the address leads to a node of a cluster. Null while that is not known. */
  isCluster: boolean | null = null;
  #server: ServerState | null = null;
  /** Whether the address has ever led to a primary. */
  #wasPrimary = false;
  /** Whether the server has refused a command since it last told its role. */
  #isDoubtful = false;
  /** The connection that is finding out where the address leads. */
  #probe: RedisSocket | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** When the last probe was sent that found the same server in the same role. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** When the server or its role last changed. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  /** @param options those of the connections that find out where the address leads */
  constructor(
    options: Omit<RedisSocketOptions, "watch">,
    private readonly reachability: Reachability,
  ) {
    super();
    this.#options = { ...options, watch: this };
  }

  override get refusal(): string | null {
    return this.#server?.isPrimary === false && this.#wasPrimary ? REPLICA : null;
  }

  override waitsFor(refusal: Refusal): boolean {
    return refusal === "READONLY" || refusal === "UNBLOCKED" ? this.#wasPrimary : true;
  }

  override queryAgain(refusal?: Refusal): void {
    // A server that runs a script would not tell its role. Without a refusal there is no connection, and the next one finds out.
    if (refusal === "BUSY" || refusal === undefined) return;
    this.#isDoubtful = true;
    const gap = this.#wasPrimary ? GAP : CALM_GAP;
    if (this.#closed || this.#probe || performance.now() - this.#askedAt < gap) return;
    this.#askedAt = performance.now();
    const over = () => {
      probe.close();
      this.#probe = null;
    };
    const probe = new RedisSocket(this.#options, { onUp: over, onReply() {}, onDown: over });
    this.#probe = probe;
    probe.open();
  }

  override believes(time: number): boolean | null {
    if (this.#changedAt >= time || !this.#server?.isPrimary) return true;
    return this.#confirmedAt >= time ? false : null;
  }

  up(connection: RedisSocket, info: string): string | null {
    const id = /^run_id:(\w+)\r?$/m.exec(info)?.[1] ?? null;
    const role = /^role:(\w+)\r?$/m.exec(info)?.[1];
    const isCluster = /^cluster_enabled:([01])\r?$/m.exec(info)?.[1];
    if (this.isCluster === null && isCluster !== undefined) {
      this.isCluster = isCluster === "1";
      this.emit("identified");
    }
    if (this.#closed) return null;
    if (this.isCluster === null && /^-BUSY /m.test(info)) return "it is busy running a script";
    if (id !== null && role !== undefined && !this.#meet(connection, { id, isPrimary: role === "master" }))
      return "the address leads to a replica, not to the server in use";
    this.#connections.set(connection, id);
    return null;
  }

  down(connection: RedisSocket): void {
    this.#connections.delete(connection);
  }

  /** Leaves all connections alone from now on. */
  close(): void {
    this.#closed = true;
    this.#probe?.close();
  }

  /** Notes which server a connection has reached. Returns false for a replica while the primary in use is not in doubt. */
  #meet(connection: RedisSocket, met: ServerState): boolean {
    const server = this.#server;
    const mayHaveMoved = this.#isDoubtful || !server?.isPrimary;
    if (server && met.id !== server.id && [...this.#connections.values()].includes(server.id)) {
      // The address leads to both.
      if (!met.isPrimary) return mayHaveMoved;
      const isForReads = !this.#wasPrimary && !this.#isDoubtful;
      const wasLeft = this.#left.has(met.id) && !mayHaveMoved;
      if (!isForReads && !wasLeft) this.#follow(met, server);
    } else this.#settle(met, connection === this.#probe);
    return true;
  }

  /** Records the server at the address and its role. */
  #settle(met: ServerState, isReply: boolean): void {
    const was = this.#server;
    if (was?.id !== met.id || was.isPrimary !== met.isPrimary) this.#changedAt = performance.now();
    else if (isReply) this.#confirmedAt = this.#askedAt;
    this.#server = met;
    this.#isDoubtful = false;
    if (this.#wasPrimary && was && was.isPrimary !== met.isPrimary) {
      if (met.isPrimary) this.reachability.tell("leads to a primary again");
      else this.reachability.tell("accepts no writes: it is a replica now", true);
    }
    this.#wasPrimary ||= met.isPrimary;
  }

  /** Moves all connections to a primary. */
  #follow(met: ServerState, from: ServerState): void {
    this.#server = met;
    this.#changedAt = performance.now();
    this.#isDoubtful = false;
    this.#wasPrimary = true;
    this.#left.add(from.id);
    this.#left.delete(met.id);
    this.#options.counters.topologyChanges++;
    this.reachability.tell("leads to another server: all connections follow");
    for (const [connection, id] of [...this.#connections]) if (id !== met.id) connection.leave();
    this.emit("change");
  }
}
