import type { PushConnectionOptions } from "../push-connection.js";
import type { Cancel, Sharding } from "../upstream.js";
import { CLUSTER_NODES, nodeViewOf } from "./node-view.js";
import type { Redirection } from "./redirection.js";
import { addressOf, nameOf, type Topology } from "./topology.js";

/** The nodes of a cluster: a sharded channel is at the primary that serves its slot. */
export class ClusterSharding implements Sharding {
  readonly #topology: Topology;
  readonly #pushOptions: (name: string) => PushConnectionOptions;

  constructor(topology: Topology, pushOptions: (name: string) => PushConnectionOptions) {
    this.#topology = topology;
    this.#pushOptions = pushOptions;
  }

  nodeOf(slot: number): string | undefined {
    this.#topology.open();
    return this.#topology.shardOf(slot)?.primary;
  }

  pushOptions(node: string): PushConnectionOptions {
    return this.#pushOptions(node);
  }

  moved({ slot, host, port }: Extract<Redirection, { slot: number }>, from: string): void {
    // A node without a configured address has the host that the reply came from.
    const ownHost = from.includes(":") ? addressOf(from).host : "";
    this.#topology.moved(slot, nameOf({ host: host || ownHost, port }));
  }

  suspect(node: string): void {
    if (this.#topology.has(node)) this.#topology.suspect(node);
  }

  get primaries(): readonly string[] {
    this.#topology.open();
    return this.#topology.shards.map(({ primary }) => primary);
  }

  async primariesListedBy(node: string): Promise<readonly string[]> {
    const { primaries, names } = nodeViewOf(await this.#topology.query(node, CLUSTER_NODES));
    const found = primaries.map((id) => this.#topology.nameOfId(id) ?? names.get(id));
    return found.filter((name) => name !== undefined);
  }

  onChange(listener: () => void): Cancel {
    this.#topology.on("change", listener);
    return () => this.#topology.off("change", listener);
  }
}
