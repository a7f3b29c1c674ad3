/**
 * A redirection, parsed from an error reply of a cluster node. The command was not executed.
 *
 * - `moved`: the slot belongs to another node from now on
 * - `ask`: this key is at another node already, for this command only
 * - `later`: neither this node nor another can run the command yet
 */
export type Redirection =
  | { readonly kind: "moved" | "ask"; readonly slot: number; readonly host: string; readonly port: number }
  | { readonly kind: "later" };

const LATER: Redirection = { kind: "later" };
const LATER_CODES = new Set(["TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "UNBLOCKED"]);
/** The other replies of this code come from a change of the node's role. */
const UNBLOCKED_BY_CLIENT = /^UNBLOCKED client unblocked via CLIENT UNBLOCK/;

/** Parses an error reply. Returns null if it is the command's own reply. */
export function redirectionOf(reply: Buffer): Redirection | null {
  const text = reply.toString("latin1", 1, Math.min(reply.length, 300));
  const [, code = ""] = /^([A-Z]+)[ \r]/.exec(text) ?? [];
  if (LATER_CODES.has(code)) return UNBLOCKED_BY_CLIENT.test(text) ? null : LATER;
  if (code !== "MOVED" && code !== "ASK") return null;
  // The host is empty if the node has no address configured. It is then the host that the reply came from.
  const [, slot, host, port] = /^[A-Z]+ (\d+) (\S*):(\d+)\r\n/.exec(text) ?? [];
  if (port === undefined) return null;
  return { kind: code === "MOVED" ? "moved" : "ask", slot: Number(slot), host: host!, port: Number(port) };
}
