import type { ClusterNode } from "warmline-testbed";
import { until } from "./support.js";

/** Moves slots with their keys from one node to another, as `redis-cli --cluster reshard` does. Works under load. */
export async function migrate(
  from: ClusterNode,
  to: ClusterNode,
  slots: readonly number[],
  primaries: readonly ClusterNode[],
): Promise<void> {
  // Otherwise the target's epoch may stay below the owner's, and late messages of the owner would take the slot back.
  await until(async () => (await epochOf(from, to)) === (await epochOf(from, from)));
  for (const slot of slots) {
    await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id);
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id);
    for (;;) {
      const keys = (await from.command("CLUSTER", "GETKEYSINSLOT", slot, 10)) as string[];
      if (keys.length === 0) break;
      await from.command("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "KEYS", ...keys);
    }
    // The target of the slot first: the slot must always have an owner.
    await to.command("CLUSTER", "SETSLOT", slot, "NODE", to.id);
    for (const node of primaries) {
      if (node !== to) await node.command("CLUSTER", "SETSLOT", slot, "NODE", to.id);
    }
  }
}

/** Returns the configuration epoch of a node in the view of `seenBy`. */
async function epochOf(node: ClusterNode, seenBy: ClusterNode): Promise<string | undefined> {
  const lines = ((await seenBy.command("CLUSTER", "NODES")) as string).split("\n");
  return lines.find((line) => line.startsWith(`${node.id} `))?.split(" ")[6];
}
