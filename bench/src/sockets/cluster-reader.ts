import { RawConnection } from "../client/raw-connection.js";
import { rangeOf, type SlotRange, slotRanges } from "./slots.js";

/** Reads keys of a cluster over plain sockets, one after another. It keeps its connections until they are closed. */
export class ClusterReader {
  readonly #open = new Map<number, RawConnection>();
  #ranges: readonly SlotRange[] | undefined;

  constructor(
    /** The node from which the topology is fetched. */
    readonly seedPort: number,
    /** The local address of connections. Default: the system's choice. */
    readonly from?: string,
  ) {}

  /** The number of open connections. */
  get connections(): number {
    return this.#open.size;
  }

  async read(keys: readonly string[]): Promise<void> {
    const fetchSlots = async () =>
      JSON.parse(await (await this.#connectionTo(this.seedPort)).run(["CLUSTER", "SLOTS"]));
    this.#ranges ??= slotRanges(await fetchSlots());
    for (const key of keys)
      await (await this.#connectionTo(rangeOf(this.#ranges, key).port)).run(["GET", key]);
  }

  /** Drops the topology, so that the next read fetches it. */
  dropTopology(): void {
    this.#ranges = undefined;
  }

  close(): void {
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }

  async #connectionTo(port: number): Promise<RawConnection> {
    const kept = this.#open.get(port);
    if (kept && !kept.ended) return kept;
    const auth = { protocol: "redis" } as const;
    const opened = await RawConnection.open({ port, tls: false, auth, from: this.from });
    this.#open.set(port, opened);
    return opened;
  }
}
