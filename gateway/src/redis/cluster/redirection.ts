import { Command, command } from "../../resp/command.js";
import { refusalOf } from "../refusal.js";
import { CLUSTER_NODES, nodeViewOf } from "./node-view.js";
import { addressOf, nameOf, type Topology } from "./topology.js";

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

/** A redirection to another node. */
export type Redirect = Exclude<Redirection, { kind: "later" }>;

const LATER: Redirection = { kind: "later" };

/** Parses an error reply to a command, null if it runs no script. Returns null for any other error. */
export function redirectionOf(reply: Buffer, command: Command | null): Redirection | null {
  if (refusalOf(reply, command)) return LATER;
  const text = reply.toString("latin1", 1, Math.min(reply.length, 300));
  // The host is empty if the node has no address configured. It is then the host that the reply came from.
  const [, code, slot, host, port] = /^(MOVED|ASK) (\d+) (\S*):(\d+)\r\n/.exec(text) ?? [];
  if (port === undefined) return null;
  return { kind: code === "MOVED" ? "moved" : "ask", slot: Number(slot), host: host!, port: Number(port) };
}

/**
 * Returns the name of the node that `from` redirected a command to, or null if it is not known to be a node of the cluster: a
 * script's result may look like a redirection. The nodes of the cluster are then learnt anew.
 */
export function findTarget(
  topology: Topology,
  { kind, slot, host, port }: Redirect,
  from: string,
): string | null {
  const name = nameOf({ host: host || addressOf(from).host, port });
  if (kind === "moved") return topology.moved(slot, name) ? name : null;
  if (topology.knows(name)) return name;
  void learnNodes(topology, from);
  return null;
}

/** Topologies that are learning nodes at present. */
const learning = new WeakSet<Topology>();

/**
 * Learns the nodes that `from` knows, from its reply to CLUSTER NODES: CLUSTER SLOTS leaves out a primary until its first slot has
 * been moved, and until then its keys are reached by ASK. One query at a time is sent.
 */
async function learnNodes(topology: Topology, from: string): Promise<void> {
  if (learning.has(topology)) return;
  learning.add(topology);
  try {
    topology.heardOf(nodeViewOf(await topology.query(from, CLUSTER_NODES)).names);
  } catch {
    // The command that was redirected is tried again, and is redirected again.
  } finally {
    learning.delete(topology);
  }
}

const ASKING = command("ASKING");

/**
 * Returns the command with ASKING right before it, as one unit. No command is written between them, and neither is written
 * without the other. The reply to ASKING is discarded.
 */
export function asking({ bytes, size, leading }: Command): Command {
  return new Command(Buffer.concat([ASKING.bytes, bytes]), size, leading + 1);
}
