import type { OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";
import type { Command } from "../../resp/command.js";
import { CHUNK_COMMANDS } from "../command-batch.js";
import { CLOSING, type Receiver, UpstreamFailure } from "../failure.js";
import { PING, pingReply, type ServerOptions } from "../server.js";
import type { Cancel, ConnectionOptions, TransactionReceiver, Upstream } from "../upstream.js";
import { BatchPlanner } from "./batch-planner.js";
import { Batch, type ClusterCommand } from "./cluster-command.js";
import { Node } from "./node.js";
import { Nodes } from "./nodes.js";
import type { ReadPolicy } from "./read-policy.js";
import { Scripts } from "./scripts.js";
import { createSharding } from "./sharding.js";
import { type Address, addressOf, type Topology } from "./topology.js";
import { ClusterTransaction } from "./transaction.js";
import { Transport } from "./transport.js";

/** Options of the connections to a Redis Cluster: those to a server apply to each node. */
export interface ClusterOptions extends Omit<ServerOptions, "connect" | "connectTimeout" | "reachability"> {
  readonly topology: Topology;
  readonly connect: (to: Address, onRead?: OnReadOpts) => Duplex;
  readonly readPolicy: ReadPolicy;
}

/** Timeout in ms for connecting to a node. It is short, since other nodes may have taken its place. */
export const CONNECT_TIMEOUT = 1_000;

/** A call that waits for the topology: called with null once that is known, else with the failure. */
type Early = (failure: UpstreamFailure | null) => void;

/** A Redis Cluster: commands go to the nodes of their slots, and come back as from one Redis. */
export class Cluster implements Upstream {
  readonly connectionOptions: ConnectionOptions;
  readonly sharding: Upstream["sharding"];
  readonly #topology: Topology;
  readonly #nodes: Nodes;
  readonly #transport: Transport;
  readonly #scripts = new Scripts();
  /** The calls that wait, each with the timer of its deadline. */
  readonly #early = new Map<Early, NodeJS.Timeout>();
  #connectionIndex = 0;
  #closed = false;

  constructor(private readonly options: ClusterOptions) {
    const { topology, timeout, connect } = options;
    this.#topology = topology;
    const connectTimeout = Math.min(timeout, CONNECT_TIMEOUT);
    const connectTo = (name: string) => (onRead?: OnReadOpts) => connect(addressOf(name), onRead);
    this.#nodes = new Nodes(topology, 2 * timeout, (name) => {
      return new Node(name, { ...options, connect: connectTo(name), connectTimeout, reconnect: "wanted" });
    });
    this.#transport = new Transport(topology, this.#nodes, this.#scripts, options.readPolicy, timeout);
    this.connectionOptions = {
      ...options,
      connect: (onRead) => this.#connectAny(onRead),
      handshake: [...(options.handshake ?? []), PING],
      connectTimeout,
    };
    this.sharding = createSharding(topology, (name) => ({
      ...this.connectionOptions,
      connect: connectTo(name),
    }));
    topology.on("change", this.#runEarly);
    topology.on("failed", this.#failEarly);
  }

  open(): void {
    this.#topology.open();
    this.#whenKnown(performance.now() + this.options.timeout, () => {
      for (const { primary } of this.#topology.shards) this.#nodes.get(primary).open();
    });
  }

  get connections(): Upstream["connections"] {
    const sum = { shared: 0, blocking: 0, transactions: 0 };
    for (const { connections } of this.#nodes) {
      sum.shared += connections.shared;
      sum.blocking += connections.blocking;
      sum.transactions += connections.transactions;
    }
    return sum;
  }

  get pending(): number {
    let sum = this.#early.size;
    for (const node of this.#nodes) sum += node.pending;
    return sum;
  }

  send(commands: readonly Command[], receiver: Receiver, deadline?: number): void {
    this.#send(this.#batch(receiver, deadline), commands);
  }

  sendAlone(
    commands: readonly Command[],
    waits: readonly number[],
    receiver: Receiver,
    deadline?: number,
  ): Cancel {
    const batch = this.#batch(receiver, deadline);
    batch.alone = true;
    this.#send(batch, commands, waits);
    return () => {
      for (const cancel of batch.cancels) cancel();
    };
  }

  transaction(commands: readonly Command[], receiver: TransactionReceiver, deadline?: number): Cancel {
    for (const command of commands) this.#scripts.note(command);
    const until = deadline ?? performance.now() + this.options.timeout;
    const transaction = new ClusterTransaction(commands, receiver, this.#topology, this.#nodes, until);
    this.#whenKnown(until, (failure) => (failure ? receiver.onFailure(failure) : transaction.start()));
    return () => transaction.cancel();
  }

  ping(timeout = this.options.timeout): Promise<Buffer | null> {
    return pingReply(this, timeout);
  }

  endWaits(within: number): void {
    this.#nodes.endWaits(within);
  }

  close(): void {
    this.#closed = true;
    this.#topology.off("change", this.#runEarly);
    this.#topology.off("failed", this.#failEarly);
    this.#endEarly(CLOSING);
    this.#transport.close();
    this.#nodes.close();
  }

  #send(batch: Batch, commands: readonly Command[], waits?: readonly number[]): void {
    this.#whenKnown(batch.until, (failure) => {
      if (failure) failFrom(0, commands, batch.receiver, failure);
      else this.#plan(batch, commands, waits);
    });
  }

  /** Finds out where commands go, of very many some at a time, and sends them. */
  #plan(batch: Batch, commands: readonly Command[], waits?: readonly number[]): void {
    const send = (clusterCommand: ClusterCommand) => this.#transport.send([clusterCommand]);
    const planner = new BatchPlanner(batch, this.#topology, send, this.options.budget);
    let next = 0;
    const planChunk = () => {
      if (this.#closed) {
        for (const { sink, tag } of batch.commands) sink.onFailure(CLOSING, tag);
        failFrom(next, commands, batch.receiver, CLOSING);
        return;
      }
      const stop = Math.min(next + CHUNK_COMMANDS, commands.length);
      for (; next < stop; next++) {
        const command = commands[next]!;
        this.#scripts.note(command);
        planner.add(command, next, waits?.[next]);
      }
      if (next < commands.length) setImmediate(planChunk);
      else this.#transport.send(batch.commands);
    };
    planChunk();
  }

  #batch(receiver: Receiver, deadline = performance.now() + this.options.timeout): Batch {
    this.#connectionIndex = (this.#connectionIndex + 1) % this.options.connections;
    return new Batch(receiver, deadline, this.#connectionIndex);
  }

  #whenKnown(until: number, run: Early): void {
    if (this.#closed) run(CLOSING);
    else if (this.#topology.isKnown) run(null);
    else if (this.#topology.isUnreached) run(this.#unreachable());
    else {
      this.#topology.open();
      const onTimeout = () => {
        this.#early.delete(run);
        run(this.#unreachable());
      };
      this.#early.set(run, setTimeout(onTimeout, Math.max(0, until - performance.now())));
    }
  }

  #unreachable(): UpstreamFailure {
    const { isUnreached, lastError } = this.#topology;
    const reason = isUnreached ? "unreached" : "unreachable";
    return new UpstreamFailure(reason, `the cluster could not be reached: ${lastError}`);
  }

  /** Fails what waits for the topology, if no node was ever reached. */
  #failEarly = (): void => {
    if (this.#topology.isUnreached) this.#endEarly(this.#unreachable());
  };

  #runEarly = (): void => this.#endEarly(null);

  #endEarly(failure: UpstreamFailure | null): void {
    const early = [...this.#early];
    this.#early.clear();
    for (const [, timer] of early) clearTimeout(timer);
    for (const [run] of early) run(failure);
  }

  #connectAny(onRead?: OnReadOpts): Duplex {
    const name = this.#nodes.best(this.#topology.shards.map(({ primary }) => primary));
    if (name === undefined) throw new Error(this.#topology.lastError ?? "no node of the cluster is known");
    return this.options.connect(addressOf(name), onRead);
  }
}

function failFrom(
  first: number,
  commands: readonly Command[],
  receiver: Receiver,
  failure: UpstreamFailure,
): void {
  for (let tag = first; tag < commands.length; tag++) receiver.onFailure(failure, tag);
}
