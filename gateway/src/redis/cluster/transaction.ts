import { type Command, command } from "../../resp/command.js";
import { errorOf, isError } from "../../resp/replies.js";
import { UpstreamFailure } from "../failure.js";
import { CROSS_SLOT } from "../merge.js";
import type { Cancel, TransactionReceiver } from "../upstream.js";
import type { Node } from "./node.js";
import type { Nodes } from "./nodes.js";
import { planOf } from "./plan.js";
import { asking, findTarget, redirectionOf } from "./redirection.js";
import type { Topology } from "./topology.js";

const MULTI = command("MULTI");
const ASKING_MULTI = asking(MULTI);
/** Delay in ms before another attempt. */
const RETRY_DELAY = 50;

/** Returns the slot of commands that can run as one transaction, else the place of the first that can't, and its error. */
function slotOfAll(commands: readonly Command[]): { slot: number } | { place: number; error: Buffer } {
  let slot = -1;
  for (const [place, each] of commands.entries()) {
    const plan = planOf(each);
    if (plan.kind === "refused") return { place, error: plan.reply };
    if (plan.kind === "split") return { place, error: CROSS_SLOT };
    if (plan.kind !== "one") {
      const text = `ERR '${each.name.toLowerCase()}' affects several nodes of the cluster: send it outside a transaction`;
      return { place, error: errorOf(text) };
    }
    if (plan.hint.slot < 0) continue;
    if (slot >= 0 && slot !== plan.hint.slot) return { place, error: CROSS_SLOT };
    slot = plan.hint.slot;
  }
  return { slot };
}

/** Runs a transaction on the node of its slot. If the slot has moved, nothing was run, and the new node gets the transaction. */
export class ClusterTransaction implements TransactionReceiver {
  #slot = -1;
  /** The node of the last attempt. */
  #node: Node | null = null;
  #target: string | null = null;
  #asking = false;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #cancel: Cancel | null = null;

  constructor(
    readonly commands: readonly Command[],
    readonly receiver: TransactionReceiver,
    readonly topology: Topology,
    readonly nodes: Nodes,
    /** The deadline for its reply, on the clock of `performance.now()`. */
    readonly until: number,
  ) {}

  start(): void {
    const found = slotOfAll(this.commands);
    if ("slot" in found) {
      this.#slot = found.slot;
      this.#attempt();
    } else this.receiver.onExec(errorOf("EXECABORT"), new Map([[found.place, found.error]]));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#cancel?.();
  }

  #attempt(): void {
    const { topology, nodes } = this;
    const name =
      this.#target ??
      (this.#slot >= 0
        ? topology.shardOf(this.#slot)?.primary
        : nodes.best(topology.shards.map(({ primary }) => primary)));
    if (name === undefined) {
      this.#later(new UpstreamFailure("unreachable", "no node of the cluster serves the slot"));
      return;
    }
    this.#node = nodes.get(name);
    const multi = this.#asking ? ASKING_MULTI : MULTI;
    this.#cancel = this.#node.transaction(this.commands, this, this.until, multi);
  }

  get cancelled(): boolean {
    return this.receiver.cancelled;
  }

  onExec(reply: Buffer, refused: ReadonlyMap<number, Buffer>): void {
    this.#node!.succeeded();
    const errors = isError(reply) ? [...refused.values(), reply] : [];
    const redirections = errors.map((error) => redirectionOf(error, null)).filter((each) => each !== null);
    // A command refused for good is refused at any node.
    if (redirections.length === 0) {
      this.receiver.onExec(reply, refused);
      return;
    }
    const redirect = redirections.find((each) => each.kind !== "later");
    this.#target = redirect ? findTarget(this.topology, redirect, this.#node!.name) : null;
    this.#asking = this.#target !== null && redirect?.kind === "ask";
    this.#later(new UpstreamFailure("unreachable", "the slot is being migrated"));
  }

  onFailure(failure: UpstreamFailure): void {
    this.#target = null;
    if (failure.reason === "unreachable" || failure.reason === "lost" || failure.reason === "timeout") {
      this.#node!.failed();
      this.topology.suspect(this.#node!.name);
    }
    if (failure.reason === "unreachable" && !this.cancelled) this.#later(failure);
    else this.receiver.onFailure(failure);
  }

  /** Tries again after a pause. If it is too late for that, the transaction fails as unsent. */
  #later(failure: UpstreamFailure): void {
    if (performance.now() + RETRY_DELAY >= this.until) this.receiver.onFailure(failure);
    else {
      const atOnce = this.#target !== null && ++this.#attempts % 8 !== 0;
      this.#timer = setTimeout(() => this.#attempt(), atOnce ? 0 : RETRY_DELAY);
    }
  }
}
