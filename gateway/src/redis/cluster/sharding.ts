import type { RedisSocketOptions } from "../redis-socket.js";
import { CLUSTER_NODES, nodeViewOf } from "./node-view.js";
import { findTarget, type Redirect } from "./redirection.js";
import type { Topology } from "./topology.js";

export type Sharding = ReturnType<typeof createSharding>;

/** Returns the nodes of a cluster, by whose slots and changes sharded channels and near caches go. */
export function createSharding(topology: Topology, connectionOptions: (node: string) => RedisSocketOptions) {
  return {
    connectionOptions,
    /** Returns the name of the node that serves a slot; undefined while that is not known. */
    nodeOf(slot: number): string | undefined {
      topology.open();
      return topology.shardOf(slot)?.primary;
    },
    /** Records that the node `from` redirected to another node. */
    moved(redirect: Redirect, from: string): void {
      findTarget(topology, redirect, from);
    },
    /** Records that a node can't be reached, or does not serve what it did: slots may be elsewhere. */
    suspect(node: string): void {
      if (topology.has(node)) topology.suspect(node);
    },
    /** Returns the names of the primaries that serve slots. Empty while they are not known. */
    primaries(): readonly string[] {
      topology.open();
      return topology.shards.map(({ primary }) => primary);
    },
    /** Returns the names of all primaries that a node lists, including primaries without slots. Rejects without a reply. */
    async primariesListedBy(node: string): Promise<readonly string[]> {
      const { primaries, names } = nodeViewOf(await topology.query(node, CLUSTER_NODES));
      const found = primaries.map((id) => topology.names.get(id) ?? names.get(id));
      return found.filter((name) => name !== undefined);
    },
    /** Calls `listener` when slots have moved, until the returned function is called. */
    onChange(listener: () => void): () => void {
      topology.on("change", listener);
      return () => topology.off("change", listener);
    },
  };
}
