import { type CommandInfo, getCommandInfo } from "../../commands/command-info.js";
import { getKeyIndexes } from "../../commands/keys.js";
import { joinArgs } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { LazyMap } from "../../util/lazy-map.js";
import { type Combine, CROSS_SLOT, combiners, inOrderOf } from "../merge.js";
import type { RoutingHint } from "./cluster-command.js";
import { slotOf } from "./slot.js";
import type { Topology } from "./topology.js";

/** A command for one node, and which nodes may run it. */
export interface Part {
  readonly command: Command;
  readonly hint: RoutingHint;
}

/** How a cluster runs a command. `repeatable`: it may be sent again although it may have been executed. */
export type Plan = { readonly repeatable: boolean } & (
  | { readonly kind: "one"; readonly hint: RoutingHint }
  | {
      /** A part for each slot of its keys, or for each node. */
      readonly kind: "split" | "everywhere";
      readonly parts: (topology: Topology) => readonly Part[];
      readonly combine: Combine;
      /** Whether errors are ignored if a part has succeeded. */
      readonly oneIsEnough: boolean;
    }
  | { readonly kind: "scan" | "wait" }
  | { readonly kind: "refused"; readonly reply: Buffer }
);

const ANY: Plan = one({ slot: -1, read: false, repeatable: false });
const ANY_READ: Plan = one({ slot: -1, read: false, repeatable: true });

function one(hint: RoutingHint): Plan {
  return { kind: "one", hint, repeatable: hint.repeatable };
}

/** A node reports only its own subscriptions, so these run on every node. */
const PUBSUB: Readonly<Record<string, Combine>> = {
  "PUBSUB CHANNELS": combiners.union,
  "PUBSUB NUMPAT": combiners.agg_sum,
  "PUBSUB NUMSUB": combiners.sum_pairs,
  "PUBSUB SHARDCHANNELS": combiners.union,
  "PUBSUB SHARDNUMSUB": combiners.sum_pairs,
};

/** Returns the nodes that a command is sent to, and how their replies are merged. */
export function planOf(command: Command): Plan {
  const info = getCommandInfo(command);
  const indexes = getKeyIndexes(command, info);
  // A command unknown here goes to any node: Redis finds its keys, and redirects it.
  if (!info || !indexes) return info?.readonly ? ANY_READ : ANY;
  if (indexes.length === 0) return keyless(command, info);
  const slots = indexes.map((place) => {
    const reader = command.argReader(place);
    const length = reader.nextLength();
    return slotOf(command.bytes, reader.at, reader.at + length);
  });
  const slot = slots[0]!;
  const repeatable = info.readonly;
  // A replica lacks the scripts that were loaded on its primary.
  const read = repeatable && info.group !== "scripting";
  if (slots.every((other) => other === slot)) return one({ slot, read, repeatable });
  if (info.requestPolicy !== "multi_shard") return { kind: "refused", reply: CROSS_SLOT, repeatable };
  return split(command, indexes, slots, info);
}

/** Splits a command with several keys into one command for each slot. */
function split(
  command: Command,
  indexes: readonly number[],
  slots: readonly number[],
  { readonly: read, responsePolicy }: CommandInfo,
): Plan {
  const bySlot = new LazyMap<number, number[]>(() => []);
  slots.forEach((slot, at) => {
    bySlot.of(slot).push(at);
  });
  const step = indexes[1]! - indexes[0]!;
  const name = command.slice(0, 1);
  const parts = [...bySlot].map(([slot, group]) => ({
    hint: { slot, read, repeatable: read },
    command: joinArgs(1 + group.length * step, [
      name,
      ...group.map((at) => command.slice(indexes[at]!, indexes[at]! + step)),
    ]),
  }));
  const combine = responsePolicy === null ? inOrderOf([...bySlot.values()]) : combinerOf(responsePolicy);
  return { kind: "split", parts: () => parts, combine, oneIsEnough: false, repeatable: read };
}

function keyless(command: Command, info: CommandInfo): Plan {
  const { name, group, requestPolicy, responsePolicy, readonly: isRead } = info;
  if (name === "SCAN") return { kind: "scan", repeatable: isRead };
  if (name === "WAIT" || name === "WAITAOF") return { kind: "wait", repeatable: isRead };
  const toReplicas = requestPolicy === "all_nodes" && group !== "scripting";
  const everywhere = (combine: Combine, repeatable = isRead): Plan => ({
    kind: "everywhere",
    parts: (topology) =>
      topology.shards.flatMap((shard): Part[] => {
        const slot = topology.firstSlotOf(shard);
        if (slot < 0) return [];
        const copies = toReplicas ? shard.replicas : [];
        const hints = [{ slot }, ...copies.map((only) => ({ slot: -1, only }))];
        return hints.map((hint) => ({ command, hint: { ...hint, read: false, repeatable } }));
      }),
    combine,
    oneIsEnough: responsePolicy === "one_succeeded",
    repeatable,
  });
  if (name === "RANDOMKEY") return everywhere(combiners.random);
  if (name === "KEYS") return everywhere(combiners.union);
  if (Object.hasOwn(PUBSUB, name)) return everywhere(PUBSUB[name]!, true);
  if (name === "PING" || requestPolicy === null || responsePolicy === "special") {
    return isRead ? ANY_READ : ANY;
  }
  return everywhere(responsePolicy === null ? combiners.concat : combinerOf(responsePolicy));
}

function combinerOf(policy: string): Combine {
  return combiners[policy as keyof typeof combiners];
}
