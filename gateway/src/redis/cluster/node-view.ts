import { command } from "../../resp/command.js";
import { decode } from "../../resp/replies.js";
import { nameOf } from "./topology.js";

export const CLUSTER_NODES = command("CLUSTER", "NODES");

/**
 * Reads a reply to CLUSTER NODES, in which each line begins with the id, the address and the flags of a node.
 * @see https://redis.io/docs/latest/commands/cluster-nodes/
 */
export function nodesIn(reply: Buffer) {
  const names = new Map<string, string>();
  const primaries: string[] = [];
  for (const line of String(decode(reply)).split("\n")) {
    const [id, address, flags] = line.split(" ");
    if (!id || !address || !flags) continue;
    const place = placeOf(address);
    if (place !== null) names.set(id, place);
    const roles = flags.split(",");
    if (roles.includes("master") && !roles.includes("fail") && !roles.includes("handshake"))
      primaries.push(id);
  }
  return {
    /** The names of nodes by their ids. */
    names,
    /** The ids of the primaries that have not failed, those without slots included. */
    primaries,
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
  return primaries
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, , , ...slots]) => slots.length > 0)
    .map(([id, , , ...slots]) => [id, ...slots].join(" "))
    .join("\n");
}

/** The name of the node at `ip:port@busport[,hostname]`; null for a node whose address is not known. An IPv6 has no brackets. */
function placeOf(address: string): string | null {
  const [, ip, port, hostname] = /^(.*):(\d+)(?:@\d+)?(?:,([^,=]*))?(?:,.*)?$/.exec(address) ?? [];
  const host = ip || hostname;
  return host ? nameOf({ host, port: Number(port) }) : null;
}
