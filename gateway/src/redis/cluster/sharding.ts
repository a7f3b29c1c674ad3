import type { PushConnectionOptions } from "../push-connection.js";
import type { Sharding } from "../upstream.js";
import { CLUSTER_NODES, nodeViewOf } from "./node-view.js";
import { addressOf, nameOf, type Topology } from "./topology.js";

/** Returns the nodes of a cluster: a sharded channel is at the primary that serves its slot. */
export function createSharding(
  topology: Topology,
  pushOptions: (name: string) => PushConnectionOptions,
): Sharding {
  return {
    pushOptions,
    nodeOf(slot) {
      topology.open();
      return topology.shardOf(slot)?.primary;
    },
    moved({ slot, host, port }, from) {
      // A node without a configured address has the host that the reply came from.
      const ownHost = from.includes(":") ? addressOf(from).host : "";
      topology.moved(slot, nameOf({ host: host || ownHost, port }));
    },
    suspect(node) {
      if (topology.has(node)) topology.suspect(node);
    },
    get primaries() {
      topology.open();
      return topology.shards.map(({ primary }) => primary);
    },
    async primariesListedBy(node) {
      const { primaries, names } = nodeViewOf(await topology.query(node, CLUSTER_NODES));
      const found = primaries.map((id) => topology.names.get(id) ?? names.get(id));
      return found.filter((name) => name !== undefined);
    },
    onChange(listener) {
      topology.on("change", listener);
      return () => topology.off("change", listener);
    },
  };
}
