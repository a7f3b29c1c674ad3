import { RawConnection, type RawTarget } from "../client/raw-connection.js";
import { rangeOf, type SlotRange, slotRanges } from "./slots.js";

/** A server, or the node of a cluster from which the topology is fetched, and the local address of connections to the cluster. */
export type ReaderTarget = RawTarget | { readonly seedPort: number; readonly from?: string | undefined };

/**
 * Reads keys over plain sockets, one after another, from a server or a cluster. It keeps its connections and the topology until they
 * are dropped; a connection that the server closed is opened again.
 */
export class KeyReader {
  readonly #open = new Map<number, RawConnection>();
  #ranges: readonly SlotRange[] | undefined;

  constructor(private readonly target: ReaderTarget) {}

  get connections(): number {
    return this.#open.size;
  }

  async read(keys: readonly string[]): Promise<void> {
    for (const key of keys) await (await this.#connectionTo(await this.#targetOf(key))).run(["GET", key]);
  }

  dropTopology(): void {
    this.#ranges = undefined;
  }

  close(): void {
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }

  async #targetOf(key: string): Promise<RawTarget> {
    const { target } = this;
    if (!("seedPort" in target)) return target;
    const nodeAt = (port: number): RawTarget => {
      return { port, tls: false, auth: { protocol: "redis" }, from: target.from };
    };
    if (!this.#ranges) {
      const seed = await this.#connectionTo(nodeAt(target.seedPort));
      this.#ranges = slotRanges((await seed.run(["CLUSTER", "SLOTS"])) as never);
    }
    return nodeAt(rangeOf(this.#ranges, key).port);
  }

  async #connectionTo(target: RawTarget): Promise<RawConnection> {
    const kept = this.#open.get(target.port);
    if (kept && !kept.ended) return kept;
    const opened = await RawConnection.open(target);
    this.#open.set(target.port, opened);
    return opened;
  }
}

/**
 * Runs one web request of a process that keeps nothing: it fetches a cluster's topology, connects to each node that it needs, runs its
 * commands and closes everything, as the PHP client of the article does; or it opens one connection to a gateway.
 * @returns the number of connections that it closed
 */
export async function readOnce(target: ReaderTarget, keys: readonly string[]): Promise<number> {
  const reader = new KeyReader(target);
  try {
    await reader.read(keys);
    return reader.connections;
  } finally {
    reader.close();
  }
}
