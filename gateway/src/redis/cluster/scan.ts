import { joinArgs } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { arrayOf, bulkOf, decode, elementsOf, isError } from "../../resp/replies.js";
import type { Receiver } from "../failure.js";
import { slotOf } from "./slot.js";
import type { Topology } from "./topology.js";

/** Bits of a slot, and of a node's mark. */
const BITS = 14n;
const MASK = (1n << BITS) - 1n;
/** Above the largest cursor: a node's own one of 64 bits, a slot and a mark. */
const MAX_CURSOR = 1n << (64n + 2n * BITS);

/**
 * Returns the step of a SCAN that its cursor selects, or null if that can't be a cursor of {@link cursorOf}.
 * Primaries are scanned one after another, by their first slots. A new primary is scanned from its beginning.
 */
export function scanStep(command: Command, receiver: Receiver, topology: Topology) {
  const text = command.text(1);
  const sent = /^\d{1,28}$/.test(text) ? BigInt(text) : MAX_CURSOR;
  if (sent >= MAX_CURSOR) return null;
  const slots = topology.shards.map((shard) => topology.firstSlotOf(shard)).sort((a, b) => a - b);
  const from = Number((sent >> BITS) & MASK);
  const slot = slots.find((first) => first >= from) ?? slots.at(-1)!;
  const node = topology.shardOf(slot)!.primary;
  const cursor = slot === from && markOf(node) === (sent & MASK) ? sent >> (2n * BITS) : 0n;
  const sink: Receiver = {
    get cancelled() {
      return receiver.cancelled;
    },
    onReply(reply, tag) {
      if (isError(reply)) return receiver.onReply(reply, tag);
      const [end, ...keys] = elementsOf(reply);
      const ownCursor = BigInt(String(decode(end!)));
      const next = slots.find((first) => first > slot);
      const last = next === undefined ? 0n : cursorOf(next, 0n, 0n);
      const later = ownCursor === 0n ? last : cursorOf(slot, markOf(node), ownCursor);
      receiver.onReply(arrayOf([bulkOf(Buffer.from(String(later))), ...keys]), tag);
    },
    onFailure: (failure, tag) => receiver.onFailure(failure, tag),
  };
  const page = [command.slice(0, 1), bulkOf(Buffer.from(String(cursor))), command.slice(2, command.size)];
  return { command: joinArgs(command.size, page), node, sink };
}

/** A position in a scan: the first slot of the node, the node's mark, and the node's own cursor. */
function cursorOf(slot: number, mark: bigint, own: bigint): bigint {
  return (((own << BITS) | BigInt(slot)) << BITS) | mark;
}

/** Different nodes seldom have the same mark. */
function markOf(name: string): bigint {
  const bytes = Buffer.from(name);
  return BigInt(slotOf(bytes, 0, bytes.length));
}
