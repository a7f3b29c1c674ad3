import { asking } from "../asking.js";
import { waitingFor } from "../blocking.js";
import type { Command } from "../command.js";
import { CHUNK_COMMANDS } from "../command-batch.js";
import { UpstreamFailure } from "../failure.js";
import { Fifo } from "../fifo.js";
import type { UpstreamCounters } from "../multiplexed-connection.js";
import type { Node } from "./node.js";
import type { Nodes } from "./nodes.js";
import { candidatesOf, type ReadPolicy } from "./read-policy.js";
import { type Redirection, redirectionOf } from "./redirection.js";
import { isNoScript, type Scripts } from "./scripts.js";
import { type Carrier, Group, IN_DOUBT, OVERTAKEN, type Task } from "./task.js";
import { addressOf, nameOf, type Topology } from "./topology.js";

const MINUS = 0x2d;
/** How often a command may be sent elsewhere. */
const MOST_REDIRECTIONS = 16;
/** How often a read may be sent again without knowing whether it was executed. */
const MOST_REPEATS = 5;
/** How long what can't be sent now waits, in ms, unless the topology changes before. */
const PAUSE = 50;

export interface TransportOptions {
  readonly topology: Topology;
  readonly nodes: Nodes;
  readonly scripts: Scripts;
  readonly policy: ReadPolicy;
  /** How long a command may take, in ms. */
  readonly timeout: number;
  readonly counters: UpstreamCounters;
}

/** Where a task goes next. */
interface Choice {
  readonly node: Node;
  readonly fromReplica: boolean;
  /** Other nodes that can be tried should this one fail. */
  readonly others: number;
}

/**
 * Brings tasks to their nodes: where a node says so, or fails, to another. What can't be sent waits for the topology to
 * change. A task that may have been executed is sent again only if it is repeatable.
 */
export class Transport implements Carrier {
  readonly #options: TransportOptions;
  #parked: Task[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Those whose wait is over and that are tried again. */
  readonly #due = new Fifo<Task>();
  #more: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    options.topology.on("change", this.#resume);
  }

  /** Sends tasks in their order; those of one slot share a connection. */
  send(tasks: readonly Task[]): void {
    if (tasks.length === 1) {
      this.#sendOne(tasks[0]!);
      return;
    }
    const groups = new Map<unknown, { choice: Choice; tasks: Task[] }>();
    for (const task of tasks) {
      const choice = this.#choose(task);
      if (!choice) {
        this.#park(task);
        continue;
      }
      const { node, fromReplica, others } = choice;
      // Reads with somebody else to ask have less time for each attempt: they go apart.
      const key = task.batch.alone ? node : `${others} ${fromReplica} ${node.name}`;
      const group = groups.get(key);
      if (group) group.tasks.push(task);
      else groups.set(key, { choice, tasks: [task] });
    }
    for (const group of groups.values()) this.#give(group.choice, group.tasks);
  }

  #sendOne(task: Task): void {
    if (task.batch.isInDoubt(task)) {
      this.#fail(task, IN_DOUBT);
      return;
    }
    const choice = this.#choose(task);
    if (choice) this.#give(choice, [task]);
    else this.#park(task);
  }

  onReply(task: Task, reply: Buffer): void {
    task.node?.succeeded();
    const isError = reply[0] === MINUS && !this.#closed;
    const byText = isError && isNoScript(reply) ? this.#options.scripts.withText(task.command) : null;
    const redirection = isError ? redirectionOf(reply) : null;
    if (!byText && !redirection) {
      task.batch.executed(task, true);
      this.#reply(task, reply);
      return;
    }
    task.obstacle = reply;
    if (task.batch.alone) this.#countWaiting(task);
    if (byText) this.#repeat(task, byText);
    else if (redirection?.kind === "later") {
      if (task.node) this.#options.topology.refreshSoon();
      if (task.way.read && task.node) task.failedAt(task.node.name);
      this.#again(task);
    } else if (redirection) this.#redirect(task, redirection);
  }

  onFailure(task: Task, failure: UpstreamFailure): void {
    const { reason, outcome } = failure;
    if (task.node && (reason === "unreachable" || reason === "lost" || reason === "timeout")) {
      this.#onNodeFailure(task.node);
      if (task.way.read) task.failedAt(task.node.name);
    }
    task.target = null;
    task.asking = false;
    task.obstacle = failure;
    const isOver = this.#closed || task.cancelled || performance.now() >= task.until;
    const mayRepeat =
      outcome === "unsent"
        ? reason !== "full" && reason !== "ended"
        : task.way.repeatable && reason !== "too-large" && ++task.repeats <= MOST_REPEATS;
    if (isOver || !mayRepeat) this.#fail(task, failure);
    else this.#again(task);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#more);
    this.#options.topology.off("change", this.#resume);
    const left = this.#parked;
    this.#parked = [];
    for (let task = this.#due.shift(); task; task = this.#due.shift()) left.push(task);
    for (const task of left) this.#fail(task, new UpstreamFailure("closing", "the gateway is closing"));
  }

  #choose(task: Task): Choice | null {
    const { topology, nodes, policy } = this.#options;
    const { slot, read, only } = task.way;
    const named = task.target ?? only;
    if (named !== undefined) return { node: nodes.get(named), fromReplica: false, others: 0 };
    if (slot < 0) {
      const name = nodes.best(shuffled(topology.shards.map(({ primary }) => primary)));
      return name === undefined ? null : { node: nodes.get(name), fromReplica: false, others: 0 };
    }
    const shard = topology.shardOf(slot);
    if (!shard) return null;
    const isPlain = !read || task.mustSeeWrites || task.batch.alone;
    const candidates = isPlain ? [shard.primary] : candidatesOf(shard, policy);
    const left = isPlain ? candidates : candidates.filter((name) => !task.hasFailedAt(name));
    const name = nodes.best(left);
    if (name === undefined) {
      // All have failed: from the start, after a pause.
      task.startOver();
      return null;
    }
    return { node: nodes.get(name), fromReplica: name !== shard.primary, others: left.length - 1 };
  }

  #give({ node, fromReplica, others }: Choice, tasks: Task[]): void {
    const [first] = tasks as [Task];
    for (const task of tasks) task.batch.sent(task, node);
    const commands = tasks.map((task) => (task.asking ? asking(task.command) : task.command));
    const group = tasks.length === 1 ? first : new Group(tasks);
    if (first.batch.alone) {
      const waits = tasks.map((task) => task.wait);
      first.batch.cancels.push(node.single.send(commands, waits, group, first.until));
      return;
    }
    const now = performance.now();
    const deadline = others > 0 ? now + (first.until - now) / (others + 1) : first.until;
    node.connection(first.batch.lane, fromReplica).send(commands, group, { deadline });
  }

  #redirect(task: Task, redirection: Exclude<Redirection, { kind: "later" }>): void {
    const { topology, counters } = this.#options;
    const { kind, slot, host, port } = redirection;
    counters.redirected++;
    task.batch.scattered = true;
    const name = nameOf({ host: host || addressOf(task.node!.name).host, port });
    // Only nodes of the cluster are followed to: what a script returns may look like a redirection.
    const isKnown = kind === "moved" ? topology.moved(slot, name) : topology.has(name);
    if (!isKnown) topology.refreshSoon();
    task.target = isKnown ? name : null;
    task.asking = isKnown && kind === "ask";
    if (!isKnown || ++task.redirections > MOST_REDIRECTIONS || task.batch.isBehind(task)) this.#park(task);
    else this.#sendOne(task);
  }

  /** What has waited at a node, and goes to another, may wait for the rest of its time alone. */
  #countWaiting(task: Task): void {
    const { timeout } = this.#options;
    const now = performance.now();
    const end = task.batch.until + task.patience;
    task.until = Math.min(now + timeout, end);
    const left = Math.max(1, end - timeout - now);
    if (left >= task.wait) return;
    task.command = waitingFor(task.command, left);
    task.wait = left;
  }

  /** The same by other words, unless its turn is over. */
  #repeat(task: Task, command: Command): void {
    this.#options.counters.repeated++;
    task.batch.scattered = true;
    task.command = command;
    const { batch } = task;
    if (batch.isBehind(task) || batch.overtaken(task) !== "no") this.#park(task);
    else this.#sendOne(task);
  }

  /** To the next node that can be tried, or to wait. */
  #again(task: Task): void {
    this.#options.counters.repeated++;
    task.batch.scattered = true;
    const { topology, policy } = this.#options;
    const shard = task.way.read && task.way.slot >= 0 ? topology.shardOf(task.way.slot) : undefined;
    const others = shard && !task.mustSeeWrites && !task.batch.alone ? candidatesOf(shard, policy) : [];
    if (others.some((name) => !task.hasFailedAt(name)) && !task.batch.isBehind(task)) this.#sendOne(task);
    else this.#park(task);
  }

  #park(task: Task): void {
    task.target = task.asking ? null : task.target;
    task.asking = false;
    task.batch.park(task);
    this.#parked.push(task);
    this.#timer ??= setTimeout(this.#resume, PAUSE);
  }

  /** What has waited is tried again, in its order: very many one after another, so that others have their turns. */
  #resume = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const task of this.#parked) this.#due.push(task);
    this.#parked = [];
    this.#resumeSome();
  };

  #resumeSome = (): void => {
    this.#more = undefined;
    const now = performance.now();
    for (let i = 0; i < CHUNK_COMMANDS; i++) {
      const task = this.#due.shift();
      if (!task) return;
      this.#resumeOne(task, now);
    }
    if (this.#due.size > 0) this.#more ??= setImmediate(this.#resumeSome);
  };

  #resumeOne(task: Task, now: number): void {
    const { batch } = task;
    if (task.cancelled) this.#fail(task, new UpstreamFailure("closing", "nobody waits for the reply"));
    else if (now >= task.until) this.#giveUp(task);
    else if (batch.isBehind(task)) this.#park(task);
    else {
      const overtaken = batch.overtaken(task);
      if (overtaken === "executed") this.#missed(task);
      else if (overtaken === "sent") this.#park(task);
      else {
        batch.parked--;
        task.state = "due";
        task.redirections = 0;
        this.#sendOne(task);
      }
    }
  }

  #missed(task: Task): void {
    const { obstacle } = task;
    if (obstacle instanceof Buffer && isNoScript(obstacle)) this.#reply(task, obstacle);
    else this.#fail(task, OVERTAKEN);
  }

  /** It waited too long: the client learns what for. No client sees a redirection. */
  #giveUp(task: Task): void {
    const { obstacle } = task;
    if (obstacle instanceof UpstreamFailure) this.#fail(task, obstacle);
    else if (obstacle && (isNoScript(obstacle) || redirectionOf(obstacle)?.kind === "later")) {
      this.#reply(task, obstacle);
    } else {
      const reason = this.#options.topology.lastError ?? "its slot is on its way from one node to another";
      this.#fail(
        task,
        new UpstreamFailure("unreachable", `the cluster could not run the command: ${reason}`),
      );
    }
  }

  #reply(task: Task, reply: Buffer): void {
    if (task.state === "parked") task.batch.parked--;
    task.state = "done";
    task.sink.onReply(reply, task.tag);
  }

  #fail(task: Task, failure: UpstreamFailure): void {
    if (task.state === "parked") task.batch.parked--;
    task.state = "done";
    if (failure.outcome === "unknown") task.batch.executed(task, false);
    task.sink.onFailure(failure, task.tag);
  }

  #onNodeFailure(node: Node): void {
    if (node.failed()) this.#options.counters.ejected++;
    this.#options.topology.suspect(node.name);
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  const at = Math.floor(Math.random() * items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}
