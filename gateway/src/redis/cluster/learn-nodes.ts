import { CLUSTER_NODES, nodeViewOf } from "./node-view.js";
import type { Topology } from "./topology.js";

/** Topologies that are about to learn nodes. */
const pending = new WeakSet<Topology>();

/**
 * Learns the nodes that `from` knows, from its reply to CLUSTER NODES: CLUSTER SLOTS leaves out a primary until its first slot has
 * been moved, and until then its keys are reached by ASK. One query at a time is sent.
 */
export async function learnNodes(topology: Topology, from: string): Promise<void> {
  if (pending.has(topology)) return;
  pending.add(topology);
  try {
    topology.heardOf(nodeViewOf(await topology.query(from, CLUSTER_NODES)).names);
  } catch {
    // The command that was redirected is tried again, and is redirected again.
  } finally {
    pending.delete(topology);
  }
}
