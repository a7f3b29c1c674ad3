import { restOfWait } from "../../commands/blocking.js";
import type { Command } from "../../resp/command.js";
import { isError } from "../../resp/replies.js";
import { MINUS } from "../../util/bytes.js";
import { Fifo } from "../../util/fifo.js";
import { rotated } from "../../util/rotated.js";
import { CHUNK_COMMANDS } from "../command-batch.js";
import {
  CANCELLED,
  CLOSING,
  observed,
  type Receiver,
  type ReplyStream,
  UpstreamFailure,
} from "../failure.js";
import { refusedFailure } from "../refusal.js";
import { AFTER_UNKNOWN, type ClusterCommand, OVERTAKEN } from "./cluster-command.js";
import type { Node } from "./node.js";
import type { Nodes } from "./nodes.js";
import { candidatesOf, type ReadPolicy } from "./read-policy.js";
import { asking, findTarget, type Redirect, redirectionOf } from "./redirection.js";
import { isNoScript, type Scripts } from "./scripts.js";
import type { Shard, Topology } from "./topology.js";

/** Maximum number of redirections of a command. */
const MAX_REDIRECTIONS = 16;
/** Maximum number of repeats of a read with an unknown outcome. */
const MAX_REPEATS = 5;
/** Delay in ms before a command that can't be sent is tried again, unless the topology changes before. */
const RETRY_DELAY = 50;

/** The node that a command goes to next. */
interface Choice {
  readonly node: Node;
  readonly fromReplica: boolean;
  /** Number of other nodes that can be tried if this one fails. */
  readonly others: number;
}

/**
 * Sends commands to their nodes, and to other nodes after a redirection or a failure. Commands that can't be sent wait for
 * the topology to change. A command that may have been executed is sent again only if it is repeatable.
 */
export class Transport {
  #parked: ClusterCommand[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Commands to try again, since their pause is over. */
  readonly #due = new Fifo<ClusterCommand>();
  #more: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(
    private readonly topology: Topology,
    private readonly nodes: Nodes,
    private readonly scripts: Scripts,
    private readonly policy: ReadPolicy,
    /** Command timeout in ms. */
    private readonly timeout: number,
  ) {
    topology.on("change", this.#resume);
  }

  /** Sends commands in their order; those of one slot share a connection. */
  send(clusterCommands: readonly ClusterCommand[]): void {
    if (clusterCommands.length === 1) {
      this.#sendOne(clusterCommands[0]!);
      return;
    }
    const groups = new Map<unknown, { choice: Choice; clusterCommands: ClusterCommand[] }>();
    for (const clusterCommand of clusterCommands) {
      const choice = this.#choose(clusterCommand);
      if (!choice) {
        this.#park(clusterCommand);
        continue;
      }
      const { node, fromReplica, others } = choice;
      // Reads that another node can serve have less time for each attempt, so they form a group of their own.
      const key = clusterCommand.batch.alone ? node : `${others} ${fromReplica} ${node.name}`;
      const group = groups.get(key);
      if (group) group.clusterCommands.push(clusterCommand);
      else groups.set(key, { choice, clusterCommands: [clusterCommand] });
    }
    for (const group of groups.values()) this.#give(group.choice, group.clusterCommands);
  }

  #sendOne(clusterCommand: ClusterCommand): void {
    if (clusterCommand.batch.isAfterUnknown(clusterCommand)) {
      this.#fail(clusterCommand, AFTER_UNKNOWN);
      return;
    }
    const choice = this.#choose(clusterCommand);
    if (choice) this.#give(choice, [clusterCommand]);
    else this.#park(clusterCommand);
  }

  #onReply(clusterCommand: ClusterCommand, reply: Buffer): void {
    clusterCommand.node.succeeded();
    const failed = isError(reply) && !this.#closed;
    const byText = failed && isNoScript(reply) ? this.scripts.withText(clusterCommand.command) : null;
    const redirection = failed ? redirectionOf(reply, clusterCommand.command) : null;
    if (!byText && !redirection) {
      clusterCommand.batch.executed(clusterCommand, true);
      this.#reply(clusterCommand, reply);
      return;
    }
    clusterCommand.obstacle = reply;
    if (clusterCommand.batch.alone) this.#countWaiting(clusterCommand);
    if (byText) this.#repeat(clusterCommand, byText);
    else if (redirection?.kind === "later") {
      this.topology.refreshSoon();
      clusterCommand.failed();
      this.#again(clusterCommand);
    } else if (redirection) this.#redirect(clusterCommand, redirection);
  }

  /** A large reply is final, unless it is an error: redirections are short. */
  #onLarge(clusterCommand: ClusterCommand, first: number): ReplyStream | null {
    if (first === MINUS) return null;
    const { batch, node, sink, tag } = clusterCommand;
    const stream = sink.onLarge?.(tag, first);
    if (!stream) return null;
    node.succeeded();
    batch.executed(clusterCommand, true);
    clusterCommand.state = "done";
    return observed(stream, (failure) => {
      if (failure?.reason === "lost" || failure?.reason === "timeout") this.#onNodeFailure(node);
    });
  }

  #onFailure(clusterCommand: ClusterCommand, failure: UpstreamFailure): void {
    const { reason } = failure;
    if (reason === "unreachable" || reason === "lost" || reason === "timeout") {
      this.#onNodeFailure(clusterCommand.node);
      clusterCommand.failed();
    }
    clusterCommand.target = null;
    clusterCommand.asking = false;
    clusterCommand.obstacle = failure;
    const isOver = this.#closed || clusterCommand.cancelled || performance.now() >= clusterCommand.until;
    if (isOver || !this.#mayRepeat(clusterCommand, failure)) this.#fail(clusterCommand, failure);
    else this.#again(clusterCommand);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#more);
    this.topology.off("change", this.#resume);
    const left = [...this.#parked, ...this.#due.drain()];
    this.#parked = [];
    for (const clusterCommand of left) this.#fail(clusterCommand, CLOSING);
  }

  /** Whether a command that failed for this reason may be sent again. Counts repeats of those that may have run. */
  #mayRepeat(clusterCommand: ClusterCommand, { reason, outcome }: UpstreamFailure): boolean {
    if (outcome === "unsent") return reason !== "full" && reason !== "ended";
    const wasDropped = reason === "too-large" || reason === "no-room" || reason === "over-budget";
    return clusterCommand.hint.repeatable && !wasDropped && ++clusterCommand.repeats <= MAX_REPEATS;
  }

  #choose(clusterCommand: ClusterCommand): Choice | null {
    const { topology, nodes } = this;
    const { slot, only } = clusterCommand.hint;
    const named = clusterCommand.target ?? only;
    if (named !== undefined) return { node: nodes.get(named), fromReplica: false, others: 0 };
    if (slot < 0) {
      const name = nodes.best(rotated(topology.shards).map(({ primary }) => primary));
      return name === undefined ? null : { node: nodes.get(name), fromReplica: false, others: 0 };
    }
    const shard = topology.shardOf(slot);
    if (!shard) return null;
    const left = this.#candidates(clusterCommand, shard) ?? [shard.primary];
    const name = nodes.best(left);
    if (name === undefined) {
      // All nodes have failed. They are tried again after a pause.
      clusterCommand.tried = [];
      return null;
    }
    return { node: nodes.get(name), fromReplica: name !== shard.primary, others: left.length - 1 };
  }

  /** Returns the nodes that can serve a read and have not failed it, or null if the primary alone may run the command. */
  #candidates(clusterCommand: ClusterCommand, shard: Shard): readonly string[] | null {
    const { batch, hint, mustSeeWrites } = clusterCommand;
    if (!hint.read || mustSeeWrites || batch.alone) return null;
    return candidatesOf(shard, this.policy).filter((name) => !clusterCommand.tried.includes(name));
  }

  #give({ node, fromReplica, others }: Choice, clusterCommands: ClusterCommand[]): void {
    const [first] = clusterCommands as [ClusterCommand];
    const commands: Command[] = [];
    for (const clusterCommand of clusterCommands) {
      clusterCommand.batch.sent(clusterCommand, node);
      commands.push(clusterCommand.asking ? asking(clusterCommand.command) : clusterCommand.command);
    }
    const group: Receiver = {
      get cancelled() {
        return first.cancelled;
      },
      onReply: (reply, tag) => this.#onReply(clusterCommands[tag]!, reply),
      onLarge: (tag, byte) => this.#onLarge(clusterCommands[tag]!, byte),
      onFailure: (failure, tag) => this.#onFailure(clusterCommands[tag]!, failure),
    };
    if (first.batch.alone) {
      const waits = clusterCommands.map((clusterCommand) => clusterCommand.wait);
      first.batch.cancels.push(node.sendAlone(commands, waits, group, first.until));
      return;
    }
    const now = performance.now();
    const deadline = others > 0 ? now + (first.until - now) / (others + 1) : first.until;
    node.connection(first.batch.connectionIndex, fromReplica).send(commands, group, deadline);
  }

  #redirect(clusterCommand: ClusterCommand, redirect: Redirect): void {
    const { topology } = this;
    topology.counters.redirected++;
    const { batch } = clusterCommand;
    batch.scattered = true;
    const target = findTarget(topology, redirect, clusterCommand.node.name);
    clusterCommand.target = target;
    clusterCommand.asking = target !== null && redirect.kind === "ask";
    const mayFollow = target !== null && ++clusterCommand.redirections <= MAX_REDIRECTIONS;
    if (mayFollow && !batch.isBehind(clusterCommand)) this.#sendOne(clusterCommand);
    else this.#park(clusterCommand);
  }

  /** Shortens a blocking command's wait to the time left, since the command has waited at another node before. */
  #countWaiting(clusterCommand: ClusterCommand): void {
    const end = clusterCommand.batch.until + clusterCommand.maxWait;
    const rest = restOfWait(clusterCommand.command, clusterCommand.wait, end, this.timeout);
    clusterCommand.command = rest.command;
    clusterCommand.wait = rest.wait;
    clusterCommand.until = rest.deadline;
  }

  /** Sends a command again with other arguments, or parks it if a later command was sent meanwhile. */
  #repeat(clusterCommand: ClusterCommand, command: Command): void {
    this.topology.counters.repeated++;
    clusterCommand.batch.scattered = true;
    clusterCommand.command = command;
    const { batch } = clusterCommand;
    if (batch.isBehind(clusterCommand) || batch.overtaken(clusterCommand) !== "no")
      this.#park(clusterCommand);
    else this.#sendOne(clusterCommand);
  }

  /** Sends a command to the next node that can be tried, or parks it. */
  #again(clusterCommand: ClusterCommand): void {
    this.topology.counters.repeated++;
    clusterCommand.batch.scattered = true;
    const shard = this.topology.shardOf(clusterCommand.hint.slot);
    const others = (shard && this.#candidates(clusterCommand, shard)) ?? [];
    if (others.length > 0 && !clusterCommand.batch.isBehind(clusterCommand)) this.#sendOne(clusterCommand);
    else this.#park(clusterCommand);
  }

  #park(clusterCommand: ClusterCommand): void {
    clusterCommand.target = clusterCommand.asking ? null : clusterCommand.target;
    clusterCommand.asking = false;
    clusterCommand.batch.park(clusterCommand);
    this.#parked.push(clusterCommand);
    this.#timer ??= setTimeout(this.#resume, RETRY_DELAY);
  }

  /** Tries parked commands again, in their order. Large numbers are split into chunks, so that the event loop stays free. */
  #resume = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const clusterCommand of this.#parked) this.#due.push(clusterCommand);
    this.#parked = [];
    this.#resumeSome();
  };

  #resumeSome = (): void => {
    this.#more = undefined;
    const now = performance.now();
    for (let i = 0; i < CHUNK_COMMANDS; i++) {
      const clusterCommand = this.#due.shift();
      if (!clusterCommand) return;
      this.#resumeOne(clusterCommand, now);
    }
    if (this.#due.size > 0) this.#more ??= setImmediate(this.#resumeSome);
  };

  #resumeOne(clusterCommand: ClusterCommand, now: number): void {
    const { batch } = clusterCommand;
    if (clusterCommand.cancelled) this.#fail(clusterCommand, CANCELLED);
    else if (now >= clusterCommand.until) this.#giveUp(clusterCommand);
    else if (batch.isBehind(clusterCommand)) this.#park(clusterCommand);
    else {
      const overtaken = batch.overtaken(clusterCommand);
      if (overtaken === "executed") this.#missed(clusterCommand);
      else if (overtaken === "sent") this.#park(clusterCommand);
      else {
        batch.parked--;
        clusterCommand.state = "due";
        clusterCommand.redirections = 0;
        this.#sendOne(clusterCommand);
      }
    }
  }

  #missed(clusterCommand: ClusterCommand): void {
    const { obstacle } = clusterCommand;
    if (obstacle instanceof Buffer && isNoScript(obstacle)) this.#reply(clusterCommand, obstacle);
    else this.#fail(clusterCommand, OVERTAKEN);
  }

  /** Fails a command that waited too long, with the reason. No client sees a redirection. */
  #giveUp(clusterCommand: ClusterCommand): void {
    const { obstacle } = clusterCommand;
    if (obstacle instanceof UpstreamFailure) this.#fail(clusterCommand, obstacle);
    else if (obstacle && isNoScript(obstacle)) this.#reply(clusterCommand, obstacle);
    else if (obstacle && redirectionOf(obstacle, clusterCommand.command)?.kind === "later") {
      this.#fail(clusterCommand, refusedFailure(obstacle));
    } else {
      const reason = this.topology.lastError ?? "its slot is being migrated";
      this.#fail(
        clusterCommand,
        new UpstreamFailure("unreachable", `the cluster could not run the command: ${reason}`),
      );
    }
  }

  #reply(clusterCommand: ClusterCommand, reply: Buffer): void {
    if (clusterCommand.state === "parked") clusterCommand.batch.parked--;
    clusterCommand.state = "done";
    clusterCommand.sink.onReply(reply, clusterCommand.tag);
  }

  #fail(clusterCommand: ClusterCommand, failure: UpstreamFailure): void {
    if (clusterCommand.state === "parked") clusterCommand.batch.parked--;
    clusterCommand.state = "done";
    if (failure.outcome === "unknown") clusterCommand.batch.executed(clusterCommand, false);
    clusterCommand.sink.onFailure(failure, clusterCommand.tag);
  }

  #onNodeFailure(node: Node): void {
    if (node.failed()) this.topology.counters.ejected++;
    this.topology.suspect(node.name);
  }
}
