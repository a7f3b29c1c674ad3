import { EventEmitter } from "node:events";
import { type Command, command } from "../../resp/command.js";
import { type Decoded, decode } from "../../resp/replies.js";
import { systemClock } from "../../util/clock.js";
import { rotated } from "../../util/rotated.js";
import type { UpstreamCounters } from "../counters.js";
import type { Reachability } from "../reachability.js";
import { SLOTS } from "./slot.js";

/** The host and port that a node listens on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A primary and its replicas, by their names. */
export interface Shard {
  readonly primary: string;
  readonly replicas: readonly string[];
}

const CLUSTER_SLOTS = command("CLUSTER", "SLOTS");

/** Interval in ms between regular refreshes. */
const REFRESH_INTERVAL = 60_000;
/** Minimum interval in ms between two queries of the topology, after a node failed or a redirect to an unknown one. */
const URGENT_GAP = 100;
/** The same, after a slot moved to a known node, or a query failed. */
const CALM_GAP = 1_000;

/** The name that the gateway uses for a node: its host and port as text. */
export function nameOf({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export function addressOf(name: string): Address {
  const colon = name.lastIndexOf(":");
  return { host: name.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(name.slice(colon + 1)) };
}

/** The nodes of a cluster by their slots. Emits `change` when they were learnt or have changed, `failed` if none gave a usable reply. */
export class Topology extends EventEmitter<{ change: []; failed: [] }> {
  readonly #seeds: readonly string[];
  #slots: (Shard | undefined)[] = new Array(SLOTS);
  /** Every shard that serves slots. */
  shards: readonly Shard[] = [];
  #refreshing = false;
  #lastRefresh = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  /** Minimum gap in ms before the next query that is due soon. Infinity if no query is due soon. */
  #gap = Infinity;
  #suspects = new Set<string>();
  /** The names of all known nodes by their ids. */
  readonly names = new Map<string, string>();
  #closed = false;
  #isResting = false;
  #wasOpen = false;
  /** The reason why the last refresh failed, or null if it succeeded. */
  lastError: string | null = "the cluster's topology is not known yet";

  /**
   * @param query sends a command to a node, as the user that the gateway was set up with; rejects with an UpstreamFailure
   *   if there is no reply
   * @param reachability records whether any node can be reached
   */
  constructor(
    seeds: readonly Address[],
    readonly query: (name: string, command: Command) => Promise<Buffer>,
    readonly counters: UpstreamCounters,
    private readonly reachability?: Reachability,
    private readonly clock = systemClock,
  ) {
    super();
    this.setMaxListeners(0);
    this.#seeds = seeds.map(nameOf);
  }

  /** Whether all attempts so far to reach a node have failed. False before the first attempt. */
  get isUnreached(): boolean {
    return this.reachability?.unreachedReason != null;
  }

  /** Whether the topology was ever learnt. */
  get isKnown(): boolean {
    return this.shards.length > 0;
  }

  /** Returns the shard that serves a slot, if it is known. */
  shardOf(slot: number): Shard | undefined {
    return this.#slots[slot];
  }

  /** The first slot that a shard serves, or -1. */
  firstSlotOf(shard: Shard): number {
    return this.#slots.indexOf(shard);
  }

  /** Whether the node serves slots, or is a replica of one that does. */
  has(name: string): boolean {
    return this.shards.some(({ primary, replicas }) => primary === name || replicas.includes(name));
  }

  /** Whether the node is part of the cluster, or was before, even if it serves no slots yet. */
  knows(name: string): boolean {
    return this.has(name) || [...this.names.values()].includes(name);
  }

  /** Queries the topology now, and then at intervals. */
  open(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = this.clock.setInterval(() => void this.#refresh(), REFRESH_INTERVAL).unref();
    void this.#refresh();
  }

  /** Stops the queries until {@link wake}. */
  rest(): void {
    this.#isResting = true;
    this.#wasOpen ||= this.#timer !== undefined;
    this.clock.clear(this.#timer);
    this.#timer = undefined;
    this.clock.clear(this.#soon);
    this.#gap = Infinity;
  }

  wake(): void {
    this.#isResting = this.#closed;
    if (this.#wasOpen) this.open();
    this.#wasOpen = false;
  }

  /** Records that a node redirected a slot to another node. Returns whether that node is in a shard. */
  moved(slot: number, name: string): boolean {
    const isInShard = slot < SLOTS && this.has(name);
    this.refreshSoon(isInShard ? CALM_GAP : URGENT_GAP);
    if (isInShard && this.#slots[slot]?.primary !== name) {
      const shard = this.shards.find(({ primary }) => primary === name) ?? { primary: name, replicas: [] };
      this.#slots[slot] = shard;
      if (!this.shards.includes(shard)) this.shards = [...this.shards, shard];
    }
    return isInShard;
  }

  /** Adds nodes that serve no slots yet, by their ids. */
  heardOf(names: ReadonlyMap<string, string>): void {
    for (const [id, name] of names) if (!this.names.has(id)) this.names.set(id, name);
  }

  /** Records that a node fails, so that others may have taken its place. */
  suspect(name: string): void {
    this.#suspects.add(name);
    this.refreshSoon(URGENT_GAP);
  }

  /** Queries the topology, at least `gap` ms after the last query, or after the one that runs now. */
  refreshSoon(gap = URGENT_GAP): void {
    if (this.#isResting) return;
    this.#gap = Math.min(this.#gap, gap);
    if (this.#refreshing) return;
    this.clock.clear(this.#soon);
    const wait = this.#lastRefresh + this.#gap - this.clock.now();
    if (wait <= 0) void this.#refresh();
    else this.#soon = this.clock.setTimeout(() => void this.#refresh(), wait).unref();
  }

  close(): void {
    this.#closed = true;
    this.rest();
  }

  async #refresh(): Promise<void> {
    if (this.#refreshing || this.#closed) return;
    this.#refreshing = true;
    this.clock.clear(this.#soon);
    this.#gap = Infinity;
    const suspects = this.#suspects;
    this.#suspects = new Set();
    const names = new Set(this.shards.flatMap(({ primary, replicas }) => [primary, ...replicas]));
    const known = rotated([...names]);
    const order = [
      ...known.filter((name) => !suspects.has(name)),
      ...this.#seeds.filter((name) => !known.includes(name) && !suspects.has(name)),
      ...suspects,
    ];
    for (const name of order) {
      try {
        this.#learn(decode(await this.query(name, CLUSTER_SLOTS)), name);
        this.lastError = null;
        break;
      } catch (error) {
        this.lastError = (error as Error).message;
      }
      if (this.#closed) return;
    }
    this.#refreshing = false;
    this.#lastRefresh = this.clock.now();
    if (this.lastError === null) this.reachability?.up();
    else {
      this.reachability?.down(this.lastError);
      this.emit("failed");
      this.#gap = Math.min(this.#gap, CALM_GAP);
    }
    if (this.#gap < Infinity) this.refreshSoon(this.#gap);
  }

  /** Takes the reply to CLUSTER SLOTS: ranges of slots, each with its primary first. */
  #learn(reply: Decoded, from: string): void {
    if (!Array.isArray(reply) || reply.length === 0)
      throw new Error("a node's reply to CLUSTER SLOTS has no slots");
    const slots: (Shard | undefined)[] = new Array(SLOTS);
    const shards: Shard[] = [];
    for (const range of reply) {
      if (!Array.isArray(range)) throw new Error("a node's reply to CLUSTER SLOTS is malformed");
      const [first, last, ...nodes] = range;
      const [primary, ...replicas] = nodes.flatMap((node) => this.#learnNode(node, from) ?? []);
      if (primary === undefined) continue;
      const known = shards.find((shard) => shard.primary === primary);
      const shard = known ?? { primary, replicas };
      if (!known) shards.push(shard);
      slots.fill(shard, Number(first), Number(last) + 1);
    }
    const before = this.isKnown ? this.#fingerprint() : null;
    this.#slots = slots;
    this.shards = shards;
    if (before === this.#fingerprint()) return;
    if (before !== null) this.counters.topologyChanges++;
    this.emit("change");
  }

  /** Returns the name of a node of CLUSTER SLOTS. Without a host, it is that of the node that replied. */
  #learnNode(node: Decoded, from: string): string | null {
    if (!Array.isArray(node)) return null;
    const [host, port, id] = node;
    if (typeof port !== "number") return null;
    const isHost = typeof host === "string" && host !== "" && host !== "?";
    const name = nameOf({ host: isHost ? host : addressOf(from).host, port });
    if (typeof id === "string") this.names.set(id, name);
    return name;
  }

  /** The primary of each slot, and the shards, as text for comparison. */
  #fingerprint(): string {
    return this.#slots.map((shard) => shard?.primary).join() + JSON.stringify(this.shards);
  }
}
