import type { Command } from "../command.js";
import { type Receiver, UpstreamFailure } from "../failure.js";
import type { Node } from "./node.js";
import { SlotOrder } from "./slot-order.js";

/** What a task needs to know to find its node. */
export interface Way {
  /** The slot whose node serves it; -1 for any primary. */
  readonly slot: number;
  /** Whether a replica can answer. */
  readonly read: boolean;
  /** Whether it may be sent again although it may have been executed. */
  readonly repeatable: boolean;
  /** The one node that it is for, whatever becomes of that node's slots. */
  readonly only?: string;
}

/** Whoever looks after tasks. */
export interface Carrier {
  onReply(task: Task, reply: Buffer): void;
  onFailure(task: Task, failure: UpstreamFailure): void;
}

/** One command, or a part of one, on its way through the cluster. */
export class Task implements Receiver {
  state: "due" | "sent" | "parked" | "done" = "due";
  /** Its place among the tasks of its slot, once that is asked for. */
  place = -1;
  /** Whether it was executed, or may have been. */
  executed = false;
  /** Whether it failed, and may have been executed. */
  doubtful = false;
  /** The node that it was sent to last. */
  node: Node | null = null;
  /** Where a node has sent it. */
  target: string | null = null;
  /** Whether that node has to be told that it was sent there. */
  asking = false;
  redirections = 0;
  repeats = 0;
  /** Whether it has to be answered by the primary, since what was given before it writes to its slot. */
  mustSeeWrites = false;
  /** Nodes that failed it, if any did. */
  #tried: Set<string> | null = null;
  /** The error for which it has to wait, should it wait too long. */
  obstacle: Buffer | UpstreamFailure | null = null;
  /** By when it is given up, on the clock of `performance.now()`. */
  until: number;
  /** How long it and what was given before it may wait at the server, in ms, beyond the batch's deadline. */
  patience = 0;

  constructor(
    readonly batch: Batch,
    public command: Command,
    readonly way: Way,
    readonly sink: Receiver,
    readonly tag: number,
    /** How long it may wait at the server, in ms. */
    public wait = 0,
  ) {
    this.until = batch.until;
  }

  get cancelled(): boolean {
    return this.batch.receiver.cancelled;
  }

  /** A node has failed it. */
  failedAt(name: string): void {
    this.#tried ??= new Set();
    this.#tried.add(name);
  }

  /** Whether that node has failed it. */
  hasFailedAt(name: string): boolean {
    return this.#tried?.has(name) ?? false;
  }

  /** All nodes may be tried again. */
  startOver(): void {
    this.#tried = null;
  }

  onReply(reply: Buffer): void {
    this.batch.carrier.onReply(this, reply);
  }

  onFailure(failure: UpstreamFailure): void {
    this.batch.carrier.onFailure(this, failure);
  }
}

/** Tasks that one node was given together. */
export class Group implements Receiver {
  constructor(readonly tasks: readonly Task[]) {}

  get cancelled(): boolean {
    return this.tasks[0]!.cancelled;
  }

  onReply(reply: Buffer, tag: number): void {
    this.tasks[tag]!.onReply(reply);
  }

  onFailure(failure: UpstreamFailure, tag: number): void {
    this.tasks[tag]!.onFailure(failure);
  }
}

/** The tasks of commands that were given together: those of one slot keep their order. */
export class Batch {
  readonly tasks: Task[] = [];
  /** How many of them wait to be sent again. */
  parked = 0;
  /** Whether one of them failed, and may have been executed. */
  doubtful = false;
  /** Whether they have connections of their own. */
  alone = false;
  /** Whether one of them was sent again, and so not on the connection of the others. */
  scattered = false;
  readonly cancels: (() => void)[] = [];
  /** The tasks by slot, once that is asked for: most batches go through without. */
  #orders: Map<number, SlotOrder> | null = null;

  constructor(
    readonly carrier: Carrier,
    readonly receiver: Receiver,
    readonly until: number,
    /** Which of a node's shared connections it takes: always the same one, so that its commands keep their order. */
    readonly lane: number,
  ) {}

  add(command: Command, way: Way, sink: Receiver, tag: number, wait?: number): Task {
    const task = new Task(this, command, way, sink, tag, wait);
    this.tasks.push(task);
    return task;
  }

  /** The task has been given to a node. */
  sent(task: Task, node: Node): void {
    task.node = node;
    task.state = "sent";
    this.#orders?.get(task.way.slot)?.sent(task);
  }

  /** The task waits to be sent again. */
  park(task: Task): void {
    if (task.state !== "parked") this.parked++;
    task.state = "parked";
    this.#orders?.get(task.way.slot)?.parked(task);
  }

  /** The task was executed; or it may have been, or not. */
  executed(task: Task, isSure: boolean): void {
    task.executed = true;
    const order = this.#orders?.get(task.way.slot);
    order?.executed(task);
    if (isSure) return;
    task.doubtful = true;
    this.doubtful = true;
    order?.doubtful(task);
  }

  /** Whether an earlier task of the same slot waits to be sent again, so that this one has to wait behind it. */
  isBehind(task: Task): boolean {
    return this.parked > 0 && (this.#orderOf(task)?.isBehind(task) ?? false);
  }

  /** Whether an earlier task of the same slot may have been executed: if that is repeated, a write has to come after. */
  isInDoubt(task: Task): boolean {
    if (!this.doubtful || task.way.repeatable) return false;
    return this.#orderOf(task)?.isInDoubt(task) ?? false;
  }

  /** What has become of later tasks of the same slot: `sent` if one may be executed now, `executed` if one was. */
  overtaken(task: Task): "no" | "sent" | "executed" {
    return this.#orderOf(task)?.overtaken(task) ?? "no";
  }

  /** The tasks of the same slot; null where the order does not matter. */
  #orderOf({ way: { slot } }: Task): SlotOrder | null {
    if (slot < 0 || this.tasks.length === 1) return null;
    if (!this.#orders) {
      this.#orders = new Map();
      for (const each of this.tasks) {
        if (each.way.slot < 0) continue;
        const order = this.#orders.get(each.way.slot) ?? new SlotOrder();
        this.#orders.set(each.way.slot, order);
        order.add(each);
      }
    }
    return this.#orders.get(slot)!;
  }
}

/** Said of a command whose turn was lost: it was not executed. */
export const OVERTAKEN = new UpstreamFailure(
  "overtaken",
  "the cluster could not run the command in its turn, and a later one of the same slot has run",
);

/** Said of a command that was not sent because of {@link Batch.isInDoubt}. */
export const IN_DOUBT = new UpstreamFailure(
  "unreachable",
  "not sent since an earlier command of the same slot may have run or not",
);
