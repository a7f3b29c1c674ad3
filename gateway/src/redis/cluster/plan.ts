import { type CommandInfo, getCommandInfo } from "../../commands/command-info.js";
import { getKeyIndexes } from "../../commands/keys.js";
import { joinArgs } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { LazyMap } from "../../util/lazy-map.js";
import { type Combine, CROSS_SLOT, combiners, inOrderOf } from "../merge.js";
import { slotOf } from "./slot.js";

/** The way in which a cluster runs a command. */
export type Plan = {
  /** Whether it may be sent again although it may have been executed. */
  readonly repeatable: boolean;
} & (
  | {
      readonly kind: "one";
      /** The slot whose node serves it; -1 for any primary. */
      readonly slot: number;
      /** Whether a replica can run it. */
      readonly read: boolean;
    }
  | {
      readonly kind: "split";
      readonly parts: readonly { readonly command: Command; readonly slot: number }[];
      readonly read: boolean;
      readonly combine: Combine;
    }
  | {
      readonly kind: "everywhere";
      readonly replicasToo: boolean;
      readonly combine: Combine;
      readonly oneIsEnough: boolean;
    }
  | { readonly kind: "scan" | "wait" }
  | { readonly kind: "refused"; readonly reply: Buffer }
);

const ANY: Plan = { kind: "one", slot: -1, read: false, repeatable: false };
const ANY_READ: Plan = { ...ANY, repeatable: true };

/** PUBSUB counts only the subscriptions of the node that runs it. */
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
  // Redis itself finds the keys of commands unknown here, and redirects them.
  if (!info || !indexes) return info?.readonly ? ANY_READ : ANY;
  if (indexes.length === 0) return keyless(info);
  const slots = indexes.map((place) => {
    const reader = command.argReader(place);
    const length = reader.nextLength();
    return slotOf(command.bytes, reader.at, reader.at + length);
  });
  const slot = slots[0]!;
  const repeatable = info.readonly;
  // A replica lacks the scripts that its primary was given.
  const read = repeatable && info.group !== "scripting";
  if (slots.every((other) => other === slot)) return { kind: "one", slot, read, repeatable };
  if (info.requestPolicy !== "multi_shard") return { kind: "refused", reply: CROSS_SLOT, repeatable };
  return split(command, indexes, slots, info);
}

/** A command of many keys as one command for each slot. */
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
    slot,
    command: joinArgs(1 + group.length * step, [
      name,
      ...group.map((at) => command.slice(indexes[at]!, indexes[at]! + step)),
    ]),
  }));
  const combine = responsePolicy === null ? inOrderOf([...bySlot.values()]) : combinerOf(responsePolicy);
  return { kind: "split", parts, read, combine, repeatable: read };
}

function keyless(info: CommandInfo): Plan {
  const { name, requestPolicy, responsePolicy, readonly: repeatable } = info;
  if (name === "SCAN") return { kind: "scan", repeatable };
  if (name === "WAIT" || name === "WAITAOF") return { kind: "wait", repeatable };
  const everywhere = { kind: "everywhere", replicasToo: false, oneIsEnough: false, repeatable } as const;
  if (name === "RANDOMKEY") return { ...everywhere, combine: combiners.random };
  if (name === "KEYS") return { ...everywhere, combine: combiners.union };
  if (Object.hasOwn(PUBSUB, name)) return { ...everywhere, combine: PUBSUB[name]!, repeatable: true };
  if (name === "PING" || requestPolicy === null || responsePolicy === "special") {
    return repeatable ? ANY_READ : ANY;
  }
  return {
    ...everywhere,
    replicasToo: requestPolicy === "all_nodes" && info.group !== "scripting",
    combine: responsePolicy === null ? combiners.concat : combinerOf(responsePolicy),
    oneIsEnough: responsePolicy === "one_succeeded",
  };
}

function combinerOf(policy: string): Combine {
  return combiners[policy as keyof typeof combiners];
}
