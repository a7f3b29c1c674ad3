import type { Shard } from "./topology.js";

/**
 * Who answers reads.
 *
 * - `primary`: the primary alone, so that a read sees every write that was acknowledged before
 * - `prefer-replica`: a replica, or the primary when none of them answers
 * - `replica`: replicas alone
 * - `any`: all alike; one that does not answer is passed over
 *
 * A replica may not have a write yet that was acknowledged already.
 */
export const READ_POLICIES = ["primary", "prefer-replica", "replica", "any"] as const;

export type ReadPolicy = (typeof READ_POLICIES)[number];

let turn = 0;

/** The nodes that may answer a read, those to be asked first in front. */
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

/** The list begun one further each time, so that all are asked alike. */
function rotated<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items;
  turn = (turn + 1) % 1_000_000;
  const at = turn % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
