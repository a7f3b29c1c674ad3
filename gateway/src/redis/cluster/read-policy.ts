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

/** Returns the nodes that may serve a read, in the order in which to try them. All replicas are used alike. */
export function candidatesOf({ primary, replicas }: Shard, policy: ReadPolicy): readonly string[] {
  switch (policy) {
    case "primary":
      return [primary];
    case "replica":
      return rotated(replicas);
    case "prefer-replica":
      return [...rotated(replicas), primary];
    case "any":
      return rotated([primary, ...replicas]);
  }
}
