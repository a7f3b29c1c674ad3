import type { Command } from "../../resp/command.js";
import { integerOf } from "../../resp/replies.js";
import type { BufferBudget } from "../../util/buffer-budget.js";
import { COLON } from "../../util/bytes.js";
import type { Receiver } from "../failure.js";
import { type Combine, combiners, Merge } from "../merge.js";
import type { Batch, ClusterCommand } from "./cluster-command.js";
import { type Plan, planOf } from "./plan.js";
import { addScan } from "./scan.js";
import type { Topology } from "./topology.js";

/** Adds to a batch the cluster commands of each command: one, or one for each node or slot that it concerns. */
export class BatchPlanner {
  /** Slots that were written to. */
  readonly #written = new Set<number>();
  #wroteAnywhere = false;
  #maxWait = 0;
  /** The names of the nodes that the first {@link #seen} commands of the batch write to. */
  readonly #writers = new Set<string>();
  #seen = 0;

  /**
   * @param send sends a command that was added after the batch was sent
   * @param budget counts replies until they are merged; default: no limit
   */
  constructor(
    private readonly batch: Batch,
    private readonly topology: Topology,
    private readonly send: (clusterCommand: ClusterCommand) => void,
    readonly budget?: BufferBudget,
  ) {}

  add(command: Command, tag: number, wait?: number): void {
    const { batch } = this;
    const plan = planOf(command);
    const first = batch.commands.length;
    this.#maxWait += wait ?? 0;
    this.#add(command, plan, tag, wait);
    for (let at = first; at < batch.commands.length; at++) {
      const clusterCommand = batch.commands[at]!;
      const { slot, repeatable } = clusterCommand.hint;
      clusterCommand.mustSeeWrites = this.#wroteAnywhere || this.#written.has(slot);
      clusterCommand.maxWait = this.#maxWait;
      if (repeatable) continue;
      // The slots that a command without keys writes to are not known.
      if (plan.kind === "everywhere" || slot < 0) this.#wroteAnywhere = true;
      else this.#written.add(slot);
    }
  }

  #add(command: Command, plan: Plan, tag: number, wait?: number): void {
    const { batch, topology } = this;
    const { receiver } = batch;
    switch (plan.kind) {
      case "one":
        batch.add(command, plan.hint, receiver, tag, wait);
        return;
      case "refused":
        receiver.onReply(plan.reply, tag);
        return;
      case "split":
      case "everywhere": {
        const { combine, oneIsEnough, repeatable } = plan;
        const parts = plan.parts(topology);
        const merge = new Merge(receiver, tag, parts.length, combine, !repeatable, oneIsEnough, this.budget);
        parts.forEach((part, at) => {
          batch.add(part.command, part.hint, merge, at, wait);
        });
        return;
      }
      case "scan": {
        const hint = { slot: -1, read: false, repeatable: true };
        const addForNode = (each: Command, only: string, sink: Receiver, part: number) =>
          batch.add(each, { ...hint, only }, sink, part);
        const isAdded = addScan(command, receiver, tag, {
          topology,
          add: addForNode,
          send: (...given) => this.send(addForNode(...given)),
        });
        if (!isAdded) batch.add(command, hint, receiver, tag);
        return;
      }
      case "wait":
        this.#addWait(command, tag, wait);
    }
  }

  /** WAIT concerns the writes of its own connection: it goes wherever the batch has written before it. */
  #addWait(command: Command, tag: number, wait?: number): void {
    const { batch } = this;
    const writers = this.#writers;
    for (; this.#seen < batch.commands.length; this.#seen++) {
      const { hint } = batch.commands[this.#seen]!;
      const name = hint.only ?? this.topology.shardOf(hint.slot)?.primary;
      if (!hint.repeatable && name !== undefined) writers.add(name);
    }
    const hint = { slot: -1, read: false, repeatable: false };
    if (writers.size === 0) {
      batch.add(command, hint, batch.receiver, tag, wait);
      return;
    }
    const least: Combine = (replies) => {
      const reply = combiners.agg_min(replies);
      // Commands of a scattered batch were sent again over other connections, which this WAIT does not cover: no replica counts.
      return batch.scattered && reply[0] === COLON ? integerOf(0) : reply;
    };
    const merge = new Merge(batch.receiver, tag, writers.size, least, false);
    [...writers].forEach((only, at) => {
      batch.add(command, { ...hint, only }, merge, at, wait);
    });
  }
}
