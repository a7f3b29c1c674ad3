import type { Command } from "../command.js";
import { arrayOf, bulkOf, elementsOf } from "../replies.js";
import { commandOf, Words } from "../words.js";
import { SLOTS, slotOf } from "./slot.js";
import type { Topology } from "./topology.js";

const MARKS = 1023;

/**
 * SCAN goes from node to node, by the lowest slot of each. The cursor that a client gets is a number that holds the
 * node's own cursor and where in the slots the scan stands: every slot up to there is covered.
 *
 * A node's cursor means nothing to another node: after a failover the shard is begun anew. After slots have moved, a node
 * that was scanned already may have got some that were not covered, so that from then on no node is passed over: a key
 * may come twice, as SCAN allows, and none is missed.
 */
interface Position {
  /** The node's own cursor. */
  readonly cursor: bigint;
  /** A slot of the node that is being scanned; lower ones are covered. */
  readonly slot: number;
  /** Tells nodes apart, so that a node's cursor is used with no other. */
  readonly node: number;
  /** Tells states of the topology apart. */
  readonly state: number;
  /** Whether the topology has changed since the scan began. */
  readonly changed: boolean;
}

/** What to ask of which node, and what to make of its reply. */
export interface ScanStep {
  readonly command: Command;
  readonly node: string;
  readonly reply: (reply: Buffer) => Buffer;
}

/** The step that a SCAN asks for; null when its cursor is none, or nobody serves the slot where it stands. */
export function scanStep(command: Command, topology: Topology): ScanStep | null {
  const text = command.text(1);
  if (!/^\d{1,40}$/.test(text)) return null;
  const sent = decodePosition(BigInt(text));
  const slot = sent ? sent.slot : lowestSlot(topology, () => true);
  const name = slot === undefined ? undefined : topology.shardOf(slot)?.primary;
  if (slot === undefined || name === undefined) return null;
  const here = { slot, node: markOf(name), state: markOf(topology.picture) };
  const changed = sent !== null && (sent.changed || sent.state !== here.state);
  const cursor = sent?.node === here.node ? sent.cursor : 0n;
  const words = new Words(command);
  return {
    command: commandOf(command.size, [words.slice(0, 1), bulk(cursor), words.slice(2, command.size)]),
    node: name,
    reply(reply) {
      const [first, ...keys] = elementsOf(reply);
      if (!first) return reply;
      const next = BigInt(textOf(first));
      if (next !== 0n) return arrayOf([bulk(encodePosition({ ...here, cursor: next, changed })), ...keys]);
      const following = nextSlot(topology, slot, name, changed);
      if (following === undefined) return arrayOf([bulk(0n), ...keys]);
      const node = markOf(topology.shardOf(following)!.primary);
      const position = { cursor: 0n, slot: following, node, state: here.state, changed };
      return arrayOf([bulk(encodePosition(position)), ...keys]);
    },
  };
}

/** Where to go on when the node that serves `slot` is done; nowhere when all is covered. */
function nextSlot(topology: Topology, slot: number, name: string, changed: boolean): number | undefined {
  const isElsewhere = (at: number) => topology.shardOf(at)!.primary !== name;
  if (changed) return lowestSlot(topology, (at) => at > slot && isElsewhere(at));
  const seen = new Set<string>();
  return lowestSlot(topology, (at) => {
    const { primary } = topology.shardOf(at)!;
    // A node that begins at a lower slot was scanned already.
    if (at <= slot) seen.add(primary);
    return at > slot && !seen.has(primary);
  });
}

function lowestSlot(topology: Topology, isMeant: (slot: number) => boolean): number | undefined {
  for (let slot = 0; slot < SLOTS; slot++) if (topology.shardOf(slot) && isMeant(slot)) return slot;
  return undefined;
}

function encodePosition({ cursor, slot, node, state, changed }: Position): bigint {
  return (((cursor << 14n) + BigInt(slot)) << 21n) + BigInt((node << 11) + (state << 1) + (changed ? 1 : 0));
}

function decodePosition(value: bigint): Position | null {
  if (value === 0n) return null;
  const marks = Number(value & 0x1fffffn);
  const rest = value >> 21n;
  return {
    cursor: rest >> 14n,
    slot: Number(rest & 0x3fffn),
    node: marks >> 11,
    state: (marks >> 1) & 0x3ff,
    changed: (marks & 1) === 1,
  };
}

/** Tells texts apart, in most cases, by a number from 1 to 1023: with it no position is 0, which is the end. */
function markOf(text: string): number {
  const bytes = Buffer.from(text);
  return 1 + (slotOf(bytes, 0, bytes.length) % MARKS);
}

function bulk(cursor: bigint): Buffer {
  return bulkOf(Buffer.from(String(cursor)));
}

function textOf(element: Buffer): string {
  return element.toString("latin1", element.indexOf("\n") + 1, element.length - 2);
}
