import { CLUSTER_NODES, primariesIn, slotOwnersIn } from "../redis/cluster/node-view.js";
import { slotOf } from "../redis/cluster/slot.js";
import type { RedisSocket } from "../redis/redis-socket.js";
import { PING } from "../redis/server.js";
import type { Upstream } from "../redis/upstream.js";
import { beginsWith } from "../resp/args.js";
import { LazyMap } from "../util/lazy-map.js";
import { BucketTable } from "./bucket-table.js";
import { openTracking } from "./tracking-connection.js";

/** Maximum time in ms for the replies to PING. */
const MAX_TIMEOUT = 2_000;

/** A Redis or a cluster whose changes are reported. */
export type TrackedUpstream = Pick<Upstream, "connectionOptions" | "sharding">;

/** Returns the time on both clocks: the monotonic one may stand still while a machine is suspended. */
const now = () => ({ monotonic: performance.now(), wall: Date.now() });

interface TrackedServer {
  readonly name: string;
  readonly isNode: boolean;
  readonly connection: RedisSocket;
  /** The primaries as this node listed them first. Null before, and for a server that is not a node. */
  primaries: string | null;
}

/** A promise, and the function that resolves it. */
class Deferred {
  resolve!: (value: boolean) => void;
  readonly promise = new Promise<boolean>((resolve) => {
    this.resolve = resolve;
  });
}

/** A period without a gap in the reports. It ends when a connection is lost or a cluster changes. */
export class TrackingSession {
  /** The table of changes for each prefix of a token. Its reports must not show changes of keys without the prefix. */
  readonly #tables = new LazyMap((prefix: string) => ({
    prefix: Buffer.from(prefix),
    table: new BucketTable(),
  }));
  /** Whether all servers report their changes. */
  isReady = false;
  readonly #servers: TrackedServer[] = [];
  /** Number of connections whose server does not report changes yet. */
  #starting = 0;
  /** Resolved when all servers report their changes, or the session has ended. */
  #started = new Deferred();
  /** When the last commands that all servers replied to were sent. */
  #confirmedAt = now();
  #sentAt = now();
  /** Number of replies still to come. */
  #due = 0;
  #current: Deferred | null = null;
  #next: Deferred | null = null;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** @param onEnd called once, unless it was closed. `refused`: a server does not track changes for the gateway's user */
  constructor(
    private readonly upstream: TrackedUpstream,
    private readonly prefixes: readonly string[],
    private readonly onEnd: (reason: string, refused: boolean) => void,
  ) {}

  /** Connects to every server. */
  async start(): Promise<void> {
    const { sharding } = this.upstream;
    const names = sharding ? sharding.primaries() : [""];
    if (names.length === 0) return this.#end("the topology of the cluster is not known");
    for (const name of names) this.#connect(name);
    do {
      await this.#started.promise;
      if (!(await this.confirm())) return;
    } while (await this.#connectToOthers());
    if (this.#ended) return;
    // Nodes that have not heard of a promotion yet list the former primary.
    if (!this.#nodesAgree()) return this.#end("the nodes of the cluster list different primaries");
    this.#confirmedAt = now();
    this.isReady = true;
  }

  /** Returns the table of changes of the keys that begin with a prefix, from the first call for it on. */
  tableOf(prefix: string): BucketTable {
    return this.#tables.of(prefix).table;
  }

  /** Returns the age in ms of what is known: every change acknowledged before is in the table. */
  age(): number {
    const { monotonic, wall } = this.#confirmedAt;
    return Math.max(0, Math.ceil(Math.max(performance.now() - monotonic, Date.now() - wall)));
  }

  /**
   * Sends a command to every server. Its reply follows the reports of all changes that were acknowledged before this call.
   * Resolves with true when all have replied, and with false if the session has ended. Waiting calls share the commands.
   */
  confirm(): Promise<boolean> {
    if (this.#ended) return Promise.resolve(false);
    this.#next ??= new Deferred();
    const { promise } = this.#next;
    if (!this.#current) this.#confirmNext();
    return promise;
  }

  close(): void {
    this.#ended = true;
    this.isReady = false;
    clearTimeout(this.#timer);
    for (const { connection } of this.#servers) connection.close();
    this.#current?.resolve(false);
    this.#next?.resolve(false);
    this.#started.resolve(false);
  }

  #end(reason: string, refused = false): void {
    if (this.#ended) return;
    this.close();
    this.onEnd(reason, refused);
  }

  #connect(name: string): void {
    const { upstream, prefixes } = this;
    const { sharding } = upstream;
    const options = sharding ? sharding.connectionOptions(name) : upstream.connectionOptions;
    this.#starting++;
    const lost = (reason: string, refused = false) => {
      sharding?.suspect(name);
      this.#end(reason, refused);
    };
    const connection = openTracking(options, prefixes, {
      onTracking: (isCluster) => {
        // Without the topology, changes at other nodes would be missed.
        if (isCluster && !sharding) lost("the topology of the cluster is not known");
        else if (--this.#starting === 0) this.#started.resolve(true);
      },
      onChange: (keys) => {
        if (!keys) for (const { table } of this.#tables.values()) table.changeAll();
        else for (const key of keys) this.#changed(key);
      },
      onReply: (reply) => {
        if (server.isNode) {
          const primaries = primariesIn(reply);
          server.primaries ??= primaries;
          if (primaries !== server.primaries) return lost("the cluster has changed");
        }
        if (--this.#due === 0) this.#confirmed();
      },
      onDown: lost,
    });
    const server: TrackedServer = { name, isNode: sharding !== null, connection, primaries: null };
    this.#servers.push(server);
  }

  #changed(key: Buffer): void {
    const bucket = slotOf(key, 0, key.length);
    for (const { prefix, table } of this.#tables.values())
      if (beginsWith(key, 0, key.length, prefix)) table.change(bucket);
  }

  /** Connects to new primaries: keys are moved there before slots are. Returns whether there were any. */
  async #connectToOthers(): Promise<boolean> {
    const { sharding } = this.upstream;
    if (!sharding) return false;
    const known = this.#servers.map(({ name }) => name);
    const listed = await sharding.primariesListedBy(known[0]!).catch(() => null);
    if (this.#ended) return false;
    if (!listed) {
      this.#end("a node of the cluster did not list the others");
      return false;
    }
    const others = listed.filter((name) => !known.includes(name));
    this.#started = new Deferred();
    for (const name of others) this.#connect(name);
    return others.length > 0;
  }

  /** Whether all nodes of a cluster list the same primary for each slot. */
  #nodesAgree(): boolean {
    return new Set(this.#servers.map(({ primaries }) => primaries && slotOwnersIn(primaries))).size === 1;
  }

  #confirmNext(): void {
    this.#current = this.#next;
    this.#next = null;
    this.#sentAt = now();
    this.#due = this.#servers.length;
    const timeout = Math.min(this.upstream.connectionOptions.connectTimeout, MAX_TIMEOUT);
    this.#timer = setTimeout(() => this.#end("no reply in time"), timeout).unref();
    for (const { connection, isNode } of this.#servers) connection.send(isNode ? CLUSTER_NODES : PING);
  }

  #confirmed(): void {
    clearTimeout(this.#timer);
    this.#confirmedAt = this.#sentAt;
    this.#current?.resolve(true);
    this.#current = null;
    if (this.#next) this.#confirmNext();
  }
}
