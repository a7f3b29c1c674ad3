import { command } from "../../resp/command.js";
import { decode } from "../../resp/replies.js";
import { SlotSet } from "./slot-set.js";
import { nameOf } from "./topology.js";

export const CLUSTER_NODES = command("CLUSTER", "NODES");

/** The slots as one node sees them. */
export type NodeView = ReturnType<typeof nodeViewOf>;
type Range = readonly [first: number, last: number];

/**
 * Returns the slots as one node sees them, by its reply to CLUSTER NODES. What it says of its own slots is right. The reply has one
 * line for each node: its id, its address, flags, five more fields, then its slots. Slots in brackets are being moved
 * (https://redis.io/docs/latest/commands/cluster-nodes/).
 */
export function nodeViewOf(reply: Buffer) {
  const owned = new Map<string, readonly Range[]>();
  const names = new Map<string, string>();
  const targets = new Map<number, string>();
  const arriving: number[] = [];
  const primaries: string[] = [];
  let own = SlotSet.NONE;
  for (const line of String(decode(reply)).split("\n")) {
    const [id, address, flags, , , , , , ...slots] = line.split(" ");
    if (!id || !address || !flags) continue;
    const place = placeOf(address);
    if (place !== null) names.set(id, place);
    const ranges: Range[] = [];
    for (const text of slots) {
      const [, slot, direction, other] = /^\[(\d+)-([<>])-(\w+)\]$/.exec(text) ?? [];
      if (slot === undefined) {
        const [first, last = first] = text.split("-").map(Number) as [number, number?];
        ranges.push([first, last!]);
      } else if (direction === ">") targets.set(Number(slot), other!);
      else arriving.push(Number(slot));
    }
    owned.set(id, ranges);
    const roles = flags.split(",");
    if (!roles.includes("master")) continue;
    if (!roles.includes("fail") && !roles.includes("handshake")) primaries.push(id);
    if (roles.includes("myself")) own = SlotSet.ofRanges(ranges);
  }
  const leaving = SlotSet.of(targets.keys()).and(own);
  return {
    /** Its own slots whose keys are all there. */
    stable: own.without(leaving),
    /** Its own slots that are being moved away: their keys are there or at the other node. */
    leaving,
    /** Slots of other nodes that are being moved to it. */
    arriving: SlotSet.of(arriving),
    /** The slots of all nodes. */
    served: SlotSet.ofRanges([...owned.values()].flat()),
    /** Returns the id of the node that one of its own slots is being moved to; undefined if it is not. */
    targetOf: (slot: number) => targets.get(slot),
    /** Returns the id of the node that serves a slot. */
    ownerOf(slot: number): string | undefined {
      const serves = ([first, last]: Range) => first <= slot && slot <= last;
      return [...owned.keys()].find((id) => owned.get(id)!.some(serves));
    },
    /** The ids of the primaries that have not failed, including primaries without slots. */
    primaries,
    /** The names of nodes by their ids. */
    names,
  };
}

/**
 * Returns a text that is the same for two replies to CLUSTER NODES, in RESP2 or RESP3, as long as no primary was added, removed,
 * replaced or given other slots.
 */
export function primariesIn(reply: Buffer): string {
  const text = reply.toString("latin1").replace(/^.*\r\n(?:txt:)?/, "");
  return text
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, , flags]) => flags?.split(",").includes("master"))
    .map(([id, , flags, , , , epoch, , ...slots]) =>
      [id, /\bfail\b(?!\?)/.test(flags!), epoch, ...slots.filter((slot) => !slot.startsWith("["))].join(" "),
    )
    .sort()
    .join("\n");
}

/** Returns which primary serves which slots, of a text that {@link primariesIn} returned: the same text for nodes that agree on it. */
export function slotOwnersIn(primaries: string): string {
  const lines = primaries.matchAll(/^(\S+) \S+ \S+( .+)$/gm);
  return Array.from(lines, ([, id, slots]) => `${id}${slots}`).join("\n");
}

/** The name of the node at `ip:port@busport[,hostname]`; null for a node whose address is not known. An IPv6 has no brackets. */
function placeOf(address: string): string | null {
  const [, ip, port, hostname] = /^(.*):(\d+)(?:@\d+)?(?:,([^,=]*))?(?:,.*)?$/.exec(address) ?? [];
  const host = ip || hostname;
  return host ? nameOf({ host, port: Number(port) }) : null;
}
