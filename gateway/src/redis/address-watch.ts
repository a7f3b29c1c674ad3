import { PrimaryFinder } from "./primary-finder.js";
import type { Reachability } from "./reachability.js";
import { type ConnectionWatch, RedisSocket, type RedisSocketOptions } from "./redis-socket.js";
import type { Refusal } from "./refusal.js";

/** Minimum interval in ms between two questions: while a primary is expected, and for a server that never was one. */
const GAP = 250;
const CALM_GAP = 10_000;

const REPLICA = "READONLY Redis is a replica at present, and its address leads to no primary";

/** A server process and its last known role. */
interface ServerState {
  readonly id: string;
  isPrimary: boolean;
}

/**
 * Keeps all connections at one server while its address may lead to another one: after a failover behind a load balancer, a service
 * of Kubernetes or a DNS name. Every new connection tells which server it has reached. If that is another primary, all others
 * follow. If a server refuses writes, a further connection finds out where the address leads now.
 *
 * An address that leads to a replica on purpose, or to several replicas, is left alone. `identified` is emitted
 * when it is known whether the address leads to a node of a cluster.
 */
export class AddressWatch extends PrimaryFinder implements ConnectionWatch {
  readonly #options: RedisSocketOptions;
  readonly #connections = new Map<RedisSocket, string | null>();
  /** Servers that were left. An address that leads to several primaries in turn must not have connections follow for ever. */
  readonly #left = new Set<string>();
  /** Whether the address leads to a node of a cluster. Null while that is not known. */
  isCluster: boolean | null = null;
  #server: ServerState | null = null;
  /** Whether the address has ever led to a primary. */
  #wasPrimary = false;
  /** Whether the server has refused a write since it told its role. */
  #isDoubtful = false;
  #question: RedisSocket | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Time of the last question that the same server answered as a primary, and of the last change of the server or its role. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  /** @param options those of the connections on which the address is asked where it leads */
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
    // A server that runs a script refuses to reply, and one without a connection is connected to anyway.
    if (refusal === "BUSY" || refusal === undefined) return;
    this.#isDoubtful = true;
    const gap = this.#wasPrimary ? GAP : CALM_GAP;
    if (this.#closed || this.#question || performance.now() - this.#askedAt < gap) return;
    this.#askedAt = performance.now();
    const over = () => {
      question.close();
      this.#question = null;
    };
    const question = new RedisSocket(this.#options, { onUp: over, onReply() {}, onDown: over });
    this.#question = question;
    question.open();
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
      return "the address leads to a replica of the server in use";
    this.#connections.set(connection, id);
    return null;
  }

  down(connection: RedisSocket): void {
    this.#connections.delete(connection);
  }

  /** Leaves all connections alone from now on. */
  close(): void {
    this.#closed = true;
    this.#question?.close();
  }

  #meet(connection: RedisSocket, met: ServerState): boolean {
    const server = this.#server;
    const isDoubtful = this.#isDoubtful || !server?.isPrimary;
    if (server && met.id !== server.id && [...this.#connections.values()].includes(server.id)) {
      // The address leads to both.
      if (!met.isPrimary) return isDoubtful;
      const isForReads = !this.#wasPrimary && !this.#isDoubtful;
      const wasLeft = this.#left.has(met.id) && !isDoubtful;
      if (!isForReads && !wasLeft) this.#follow(met, server);
    } else this.#settle(met, connection === this.#question);
    return true;
  }

  /** The server at the address tells its role. */
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

  /** All connections follow to a primary. */
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
