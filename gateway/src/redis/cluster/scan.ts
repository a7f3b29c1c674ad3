import { joinArgs } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { arrayOf, bulkOf, decode, elementsOf, errorOf, isError } from "../../resp/replies.js";
import { type Receiver, UpstreamFailure } from "../failure.js";
import { CLUSTER_NODES, type NodeView, nodeViewOf } from "./node-view.js";
import { slotOf } from "./slot.js";
import { SlotSet } from "./slot-set.js";
import type { Topology } from "./topology.js";

/** The slots of a node that a scan of the node covers. */
enum Mode {
  /** Slots that the node serves and that are not being moved away. */
  Stable,
  /** Slots that are being moved away. The scan of the target node, right after, completes them. */
  Source,
  /** Slots that are being moved to the node, after the scan of their source. */
  Target,
}

/**
 * The progress of a SCAN. The client's cursor holds it, so that any gateway can continue the scan.
 *
 * Nodes are scanned one after another, each from its first cursor to its last. At every step the slots of the node are
 * compared: a slot is covered by the scan of a node if all its keys were there at each step. Slots that were moved
 * meanwhile are left, and their nodes are scanned after, so that no key is missed; some come twice, as SCAN allows.
 *
 * A slot whose move takes longer than the scan has keys on both sides. They only go from its source to its target: the
 * source is scanned, then the target, which finds the keys moved before the source was scanned.
 */
interface Position {
  readonly mode: Mode;
  /** The mark of the node that is being scanned; 0 for the one that serves the first slot left. */
  readonly node: number;
  /** The node's own cursor. */
  readonly cursor: bigint;
  /** Slots that are not covered. */
  readonly left: SlotSet;
  /** The slots of {@link left} that the scan of this node has covered so far. */
  readonly kept: SlotSet;
}

/** Maximum number of ranges of a set in a cursor, which then has some 4,000 digits. Ranges left out are scanned again. */
const MAX_RANGES = 200;
const MAX_CURSOR = 4_500;
const INVALID = errorOf("ERR invalid cursor");

/** Sends the commands of a scan to nodes. The receiver gets each reply under the command's tag. */
export interface ScanSender {
  readonly topology: Topology;
  /** Adds a command; it is sent with the rest of the batch. */
  add(command: Command, node: string, sink: Receiver, tag: number): void;
  send(command: Command, node: string, sink: Receiver, tag: number): void;
}

/** Adds the step of a SCAN that its cursor selects. Returns false if no known node serves the slots left. */
export function addScan(command: Command, receiver: Receiver, tag: number, sender: ScanSender): boolean {
  const text = command.text(1);
  if (!/^\d+$/.test(text)) return false;
  const sent = text.length > MAX_CURSOR ? null : decodePosition(BigInt(text));
  if (!sent) {
    receiver.onReply(INVALID, tag);
    return true;
  }
  const found = atNode(sent, sender.topology);
  if (!found) return false;
  new ScanStep(command, found.position, found.node, receiver, tag, sender).add();
  return true;
}

/** One step of a SCAN: a page of one node's keys, between two readings of the node's slots. */
class ScanStep implements Receiver {
  readonly #page: Command;
  readonly #replies: Buffer[] = [];
  #inOrder = true;
  #failure: UpstreamFailure | null = null;
  #open = 3;

  constructor(
    command: Command,
    readonly position: Position,
    readonly node: string,
    readonly receiver: Receiver,
    readonly tag: number,
    readonly sender: ScanSender,
  ) {
    const cursor = bulkOf(Buffer.from(String(position.cursor)));
    this.#page = joinArgs(command.size, [command.slice(0, 1), cursor, command.slice(2, command.size)]);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  add(): void {
    [CLUSTER_NODES, this.#page, CLUSTER_NODES].forEach((command, at) => {
      this.sender.add(command, this.node, this, at);
    });
  }

  onReply(reply: Buffer, at: number): void {
    // A command sent again may have run at another time than the others.
    this.#inOrder &&= at === 3 - this.#open;
    this.#replies[at] = reply;
    this.#settle();
  }

  onFailure(failure: UpstreamFailure): void {
    this.#failure ??= failure;
    this.#settle();
  }

  #settle(): void {
    if (--this.#open > 0) return;
    const { receiver, tag } = this;
    const [before, page, after] = this.#replies as [Buffer, Buffer, Buffer];
    if (this.#failure) receiver.onFailure(this.#failure, tag);
    else if (isError(page)) receiver.onReply(page, tag);
    else if (isError(before) || isError(after)) void this.#scanAsGateway();
    else this.#reply(page, this.#inOrder ? [nodeViewOf(before), nodeViewOf(after)] : []);
  }

  /** Repeats the step for a Redis user that may not read slots. The gateway's own user reads them. */
  async #scanAsGateway(): Promise<void> {
    const { sender, node, receiver, tag } = this;
    try {
      const before = nodeViewOf(await sender.topology.query(node, CLUSTER_NODES));
      const page = await new Promise<Buffer>((onReply, onFailure) => {
        const sink = {
          get cancelled() {
            return receiver.cancelled;
          },
          onReply,
          onFailure,
        };
        sender.send(this.#page, node, sink, 0);
      });
      const after = nodeViewOf(await sender.topology.query(node, CLUSTER_NODES));
      this.#reply(page, [before, after]);
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      receiver.onFailure(error, tag);
    }
  }

  /** Replies with a page and the next position, which is the current one without views. */
  #reply(page: Buffer, views: readonly NodeView[]): void {
    const [cursor, ...keys] = elementsOf(page);
    const next =
      cursor && views.length > 0 ? this.#next(BigInt(String(decode(cursor))), views) : this.position;
    const text = Buffer.from(String(next ? encodePosition(next) : 0n));
    this.receiver.onReply(arrayOf([bulkOf(text), ...keys]), this.tag);
  }

  /** The position after a page that ended at `cursor`; null when every slot is covered. */
  #next(cursor: bigint, views: readonly NodeView[]): Position | null {
    const { topology } = this.sender;
    const { mode, node, left: before } = this.position;
    const view = views.at(-1)!;
    topology.heardOf(view.names);
    const kept = views.reduce((set, each) => set.and(coveredBy(mode, each)), this.position.kept);
    if (!kept.isEmpty && cursor !== 0n) return { ...this.position, cursor, kept };
    if (mode === Mode.Source) {
      const target = nameOfTarget(kept, view, topology);
      if (target !== undefined) {
        const going = goingAlong(kept, view);
        return { mode: Mode.Target, node: markOf(target), cursor: 0n, left: before, kept: going };
      }
    }
    const left = (mode === Mode.Source ? before : before.without(kept)).and(view.served);
    if (left.isEmpty) return null;
    const open = left.and(view.leaving);
    const rest = left.without(open);
    // Slots on their way come last: most have arrived by then.
    if (!open.isEmpty && (rest.isEmpty || (mode === Mode.Stable && kept.isEmpty))) {
      return { mode: Mode.Source, node, cursor: 0n, left, kept: goingAlong(open, view) };
    }
    const slot = rest.first!;
    const owner = topology.names.get(view.ownerOf(slot)!) ?? topology.shardOf(slot)?.primary;
    if (owner !== undefined && owner !== topology.shardOf(slot)?.primary) topology.moved(slot, owner);
    return { mode: Mode.Stable, node: owner === undefined ? 0 : markOf(owner), cursor: 0n, left, kept: left };
  }
}

/** The slots of a node that a step of its scan covers. */
function coveredBy(mode: Mode, { stable, leaving, arriving }: NodeView): SlotSet {
  if (mode === Mode.Stable) return stable;
  return stable.or(mode === Mode.Source ? leaving : arriving);
}

function nameOfTarget(slots: SlotSet, view: NodeView, topology: Topology): string | undefined {
  const id = slots.first === undefined ? undefined : view.targetOf(slots.first);
  return id === undefined ? undefined : topology.names.get(id);
}

/** Returns the slots that are being moved to the same node as the first one. */
function goingAlong(slots: SlotSet, view: NodeView): SlotSet {
  const target = view.targetOf(slots.first!);
  return SlotSet.of([...slots].filter((slot) => view.targetOf(slot) === target));
}

/** Returns the node of a position. If it is no longer a primary, returns the start of the next node's scan. Null if no node is known. */
function atNode(sent: Position, topology: Topology): { position: Position; node: string } | null {
  const isMeant = (name: string) => markOf(name) === sent.node;
  const primaries = topology.shards.map(({ primary }) => primary);
  const candidates = sent.mode === Mode.Target ? [...primaries, ...topology.names.values()] : primaries;
  const known = candidates.find(isMeant);
  if (known !== undefined) return { position: sent, node: known };
  const { left } = sent;
  for (const slot of left) {
    const node = topology.shardOf(slot)?.primary;
    if (node === undefined) continue;
    return { position: { mode: Mode.Stable, node: markOf(node), cursor: 0n, left, kept: left }, node };
  }
  return null;
}

/** Returns a position as a number: the node's cursor, followed by fields of a fixed number of bits. It is never 0, which means the end. */
function encodePosition({ mode, node, cursor, left, kept }: Position): bigint {
  let value = cursor;
  const add = (field: number, bits: bigint) => {
    value = (value << bits) | BigInt(field);
  };
  // A scan that begins needs no second set: all that is left may be covered by it.
  const sets = [kept === left ? SlotSet.NONE : kept.firstRanges(MAX_RANGES), left.joined(MAX_RANGES)];
  for (const { bounds } of sets) {
    for (let at = bounds.length - 1; at >= 0; at--) add(bounds[at]!, 15n);
    add(bounds.length / 2, 8n);
  }
  add(node, 16n);
  add(mode + 1, 2n);
  return value;
}

/** Returns the position that a number encodes, or null if the number is not valid. */
function decodePosition(number: bigint): Position | null {
  if (number === 0n) {
    return { mode: Mode.Stable, node: 0, cursor: 0n, left: SlotSet.ALL, kept: SlotSet.ALL };
  }
  let value = number;
  const take = (bits: bigint): number => {
    const field = Number(value & ((1n << bits) - 1n));
    value >>= bits;
    return field;
  };
  const takeSet = () => SlotSet.withBounds(Array.from({ length: 2 * take(8n) }, () => take(15n)));
  const mode = take(2n) - 1;
  const node = take(16n);
  const left = takeSet();
  const kept = takeSet();
  const cursor = value;
  if (mode < 0 || !left || left.isEmpty || !kept || cursor >= 1n << 64n) return null;
  return { mode, node, cursor, left, kept: kept.isEmpty ? left : kept };
}

/** Returns a number from 1 to 65,535 for a name. Different names seldom have the same one. */
function markOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  const bytes = Buffer.from(name);
  return 1 + (((hash >>> 0) + slotOf(bytes, 0, bytes.length)) % 0xffff);
}
