import { rotated } from "../../util/rotated.js";
import type { Shard } from "./topology.js";

/**
 * The nodes that serve reads.
 *
 * - `primary`: the primary alone, so that a read sees every write that was acknowledged before
 * - `prefer-replica`: a replica, or the primary if no replica replies
 * - `replica`: replicas alone
 * - `any`: all nodes alike; one that does not reply is skipped
 *
 * A replica may not have a write yet that was acknowledged already.
 */
export const READ_POLICIES = ["primary", "prefer-replica", "replica", "any"] as const;

export type ReadPolicy = (typeof READ_POLICIES)[number];

/** Counts reads, so that all nodes are used alike. */
let reads = 0;

/** Returns the nodes that may serve a read, in the order in which to try them. */
export function candidatesOf({ primary, replicas }: Shard, policy: ReadPolicy): readonly string[] {
  switch (policy) {
    case "primary":
      return [primary];
    case "replica":
      return inTurn(replicas);
    case "prefer-replica":
      return [...inTurn(replicas), primary];
    case "any":
      return inTurn([primary, ...replicas]);
  }
}

/** Returns the list rotated by one further at each call. */
function inTurn<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items;
  reads = (reads + 1) % 1_000_000;
  return rotated(items, reads % items.length);
}
