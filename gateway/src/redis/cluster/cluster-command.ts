import type { Command } from "../../resp/command.js";
import { LazyMap } from "../../util/lazy-map.js";
import { type Receiver, UpstreamFailure } from "../failure.js";
import type { Node } from "./node.js";
import { type OrderedCommand, SlotOrder } from "./slot-order.js";

/** The nodes of a cluster that a command may go to. */
export interface RoutingHint {
  /** The slot whose node serves it; -1 for any primary. */
  readonly slot: number;
  /** Whether a replica can run it. */
  readonly read: boolean;
  /** Whether it may be sent again although it may have been executed. */
  readonly repeatable: boolean;
  /** The node that must run it, even if the node's slots move. */
  readonly only?: string;
}

/** One list for all commands that no node has failed. */
const NONE: readonly string[] = [];

/** One command, or a part of one, on its way through the cluster. */
export class ClusterCommand implements OrderedCommand {
  state: OrderedCommand["state"] = "due";
  /** Its place among the commands of its slot, set when first needed. */
  place = -1;
  /** Whether it was executed, or may have been. */
  executed = false;
  /** Whether it failed, and may have been executed. */
  outcomeUnknown = false;
  /** The node that it was sent to last. It is set when the command is first sent. */
  node!: Node;
  /** The node that it was redirected to. */
  target: string | null = null;
  /** Whether that node needs ASKING before it. */
  asking = false;
  redirections = 0;
  repeats = 0;
  /** Whether it must run on the primary, since an earlier command of the batch writes to its slot. */
  mustSeeWrites = false;
  /** The names of nodes that failed it. */
  tried: readonly string[] = NONE;
  /** The error for which it has to wait, which is its result if it waits too long. */
  obstacle: Buffer | UpstreamFailure | null = null;
  /** Its deadline, on the clock of `performance.now()`. */
  until: number;
  /** The longest wait at the server of it and those before it, in ms, which extends the batch's deadline. */
  maxWait = 0;

  constructor(
    readonly batch: Batch,
    public command: Command,
    readonly hint: RoutingHint,
    readonly sink: Receiver,
    readonly tag: number,
    /** Its longest wait at the server, in ms. */
    public wait = 0,
  ) {
    this.until = batch.until;
  }

  get cancelled(): boolean {
    return this.batch.receiver.cancelled;
  }

  /** The node that it was sent to has failed it: a read can go to another one. */
  failed(): void {
    if (this.hint.read) this.tried = [...this.tried, this.node.name];
  }
}

/** The cluster commands of commands that were sent together: those of one slot keep their order. */
export class Batch {
  readonly commands: ClusterCommand[] = [];
  /** Number of commands that wait to be sent again. */
  parked = 0;
  /** Whether one of them failed, and may have been executed. */
  outcomeUnknown = false;
  /** Whether they have connections of their own. */
  alone = false;
  /** Whether one of them was sent again, and so not on the connection of the others. */
  scattered = false;
  readonly cancels: (() => void)[] = [];
  /** The commands by slot, set when first needed. Most batches do not need it. */
  #orders: LazyMap<number, SlotOrder> | null = null;

  constructor(
    readonly receiver: Receiver,
    readonly until: number,
    /** The index of a node's shared connection for it: always the same one, so that its commands keep their order. */
    readonly connectionIndex: number,
  ) {}

  add(command: Command, hint: RoutingHint, sink: Receiver, tag: number, wait?: number): ClusterCommand {
    const clusterCommand = new ClusterCommand(this, command, hint, sink, tag, wait);
    this.commands.push(clusterCommand);
    return clusterCommand;
  }

  sent(clusterCommand: ClusterCommand, node: Node): void {
    clusterCommand.node = node;
    clusterCommand.state = "sent";
    this.#orders?.get(clusterCommand.hint.slot)?.sent(clusterCommand);
  }

  /** The command waits to be sent again. */
  park(clusterCommand: ClusterCommand): void {
    if (clusterCommand.state !== "parked") this.parked++;
    clusterCommand.state = "parked";
    this.#orders?.get(clusterCommand.hint.slot)?.parked(clusterCommand);
  }

  /** Records that the command was executed or, unless that is sure, may have been. */
  executed(clusterCommand: ClusterCommand, isSure: boolean): void {
    clusterCommand.executed = true;
    const order = this.#orders?.get(clusterCommand.hint.slot);
    order?.executed(clusterCommand);
    if (isSure) return;
    clusterCommand.outcomeUnknown = true;
    this.outcomeUnknown = true;
    order?.markUnknown(clusterCommand);
  }

  /** Whether an earlier command of the same slot waits to be sent again, so that this one has to wait behind it. */
  isBehind(clusterCommand: ClusterCommand): boolean {
    return this.parked > 0 && (this.#orderOf(clusterCommand)?.isBehind(clusterCommand) ?? false);
  }

  /** Whether this is a write, and an earlier command of the same slot may have been executed: a repeat of that has to come first. */
  isAfterUnknown(clusterCommand: ClusterCommand): boolean {
    if (!this.outcomeUnknown || clusterCommand.hint.repeatable) return false;
    return this.#orderOf(clusterCommand)?.isAfterUnknown(clusterCommand) ?? false;
  }

  /** Returns the state of later commands of the same slot: `sent` if one may be executed now, `executed` if one was. */
  overtaken(clusterCommand: ClusterCommand): "no" | "sent" | "executed" {
    return this.#orderOf(clusterCommand)?.overtaken(clusterCommand) ?? "no";
  }

  /** Returns the order of the commands of the same slot, or null if the order does not matter. */
  #orderOf({ hint: { slot } }: ClusterCommand): SlotOrder | null {
    if (slot < 0 || this.commands.length === 1) return null;
    if (!this.#orders) {
      this.#orders = new LazyMap<number, SlotOrder>(() => new SlotOrder());
      for (const each of this.commands) if (each.hint.slot >= 0) this.#orders.of(each.hint.slot).add(each);
    }
    return this.#orders.get(slot)!;
  }
}

/** The failure of a command that was not executed in its order. */
export const OVERTAKEN = new UpstreamFailure(
  "overtaken",
  "the cluster could not run the command in order: a later one of the same slot has run",
);

/** The failure of a command that was not sent because of {@link Batch.isAfterUnknown}. */
export const AFTER_UNKNOWN = new UpstreamFailure(
  "unreachable",
  "not sent, because an earlier command of the same slot has an unknown outcome",
);
