import { type Duplex, duplexPair } from "node:stream";
import { Cluster, type ClusterOptions } from "../../../../gateway/src/redis/cluster/cluster.js";
import { nameOf, Topology } from "../../../../gateway/src/redis/cluster/topology.js";
import { newCounters } from "../../../../gateway/src/redis/counters.js";
import type { Receiver, UpstreamFailure } from "../../../../gateway/src/redis/failure.js";
import { type Command, command } from "../../../../gateway/src/resp/command.js";

/** What a node does with a command: reply, reply after some ms, or close the connection without a reply. */
export type Decision = string | "close" | { readonly after: number; readonly reply: string };

/** Slots 0 to 8191, with the keys "bar" and "hello", and the other slots, with "foo". */
export const HALVES: readonly Range[] = [
  [0, 8_191, "a"],
  [8_192, 16_383, "b"],
];

/** The first slot, the last one, and the node that serves them. */
export type Range = readonly [first: number, last: number, node: string];

const CHUNK = 64 * 1024;

/** A cluster whose nodes are simulated by a function. The name of a node is its host. */
export class FakeCluster {
  /** Every command that reached a node, except the handshake: the node's name and the command's arguments. */
  readonly received: string[] = [];
  /** The reply to CLUSTER SLOTS. */
  ranges = HALVES;
  /** Number of CLUSTER SLOTS commands so far. */
  asked = 0;
  /** The nodes in the reply to CLUSTER NODES. */
  listed: readonly string[] = [];
  /** Nodes that can't be connected to. */
  readonly down = new Set<string>();
  readonly counters = newCounters();
  readonly topology: Topology;
  readonly cluster: Cluster;

  constructor(
    decide: (node: string, args: readonly string[]) => Decision,
    options: Partial<ClusterOptions> = {},
  ) {
    this.topology = new Topology(
      [{ host: "a", port: 1 }],
      async (_name, question) => {
        if (question.upper(1) === "NODES") return nodesReply(this.listed);
        this.asked++;
        return slotsReply(this.ranges);
      },
      this.counters,
    );
    this.cluster = new Cluster({
      topology: this.topology,
      connect: ({ host }) => this.#connect(host, decide),
      handshake: [],
      timeout: 5_000,
      connections: 1,
      maxQueuedCommands: 1_000,
      maxReplySize: 1_000,
      maxBlockingConnections: 1,
      maxTransactionConnections: 1,
      readPolicy: "primary",
      counters: this.counters,
      ...options,
    });
  }

  /** Sends commands, each written as arguments separated by spaces. Returns their results, in order. */
  send(...commands: readonly string[]): Promise<(string | UpstreamFailure)[]> {
    return sent((all, receiver) => this.cluster.send(all, receiver), commands);
  }

  close(): void {
    this.topology.close();
    this.cluster.close();
  }

  #connect(host: string, decide: (node: string, args: readonly string[]) => Decision): Duplex {
    if (this.down.has(host)) throw new Error("connection refused");
    const [near, far] = duplexPair();
    far.on("data", (chunk: Buffer) => {
      for (const args of commandsIn(chunk)) {
        if (args[0] === "PING" || args[0] === "CLIENT") {
          far.write(args[0] === "PING" ? "+PONG\r\n" : ":7\r\n");
          continue;
        }
        this.received.push(`${host}: ${args.join(" ")}`);
        const decision = decide(host, args);
        if (decision === "close") {
          far.end();
          return;
        }
        if (typeof decision === "string") writeInChunks(far, decision);
        else setTimeout(() => writeInChunks(far, decision.reply), decision.after);
      }
    });
    return near;
  }
}

/** Writes a reply in chunks of the size in which sockets are read. */
function writeInChunks(to: Duplex, reply: string): void {
  const text = `${reply}\r\n`;
  for (let from = 0; from < text.length; from += CHUNK) to.write(text.slice(from, from + CHUNK));
}

/** Passes commands to `send` and waits until each has got one reply. */
export function sent(
  send: (commands: Command[], receiver: Receiver) => void,
  commands: readonly string[],
): Promise<(string | UpstreamFailure)[]> {
  return new Promise((resolve, reject) => {
    const results: (string | UpstreamFailure)[] = [];
    let open = commands.length;
    const settle = (result: string | UpstreamFailure, tag: number) => {
      if (tag in results) reject(new Error(`command ${tag} was answered twice`));
      results[tag] = result;
      if (--open === 0) resolve(results);
    };
    send(
      commands.map((text) => command(...text.split(" "))),
      {
        cancelled: false,
        onReply: (reply, tag) => settle(reply.toString().trimEnd(), tag),
        onFailure: settle,
      },
    );
  });
}

/** The commands in bytes that hold whole ones, none of whose arguments is empty. */
export function commandsIn(bytes: Buffer): string[][] {
  return bytes
    .toString()
    .split(/^\*\d+\r\n/m)
    .slice(1)
    .map((text) => [...text.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, word]) => word!));
}

/** The reply to CLUSTER SLOTS. */
export function slotsReply(ranges: readonly Range[]): Buffer {
  const each = ranges.map(([first, last, host]) => {
    return `*3\r\n:${first}\r\n:${last}\r\n*2\r\n$${host.length}\r\n${host}\r\n:1\r\n`;
  });
  return Buffer.from(`*${ranges.length}\r\n${each.join("")}`);
}

/** The reply to CLUSTER NODES: primaries without slots. */
function nodesReply(hosts: readonly string[]): Buffer {
  const text = hosts.map((host) => `id-${host} ${host}:1@2 master - 0 0 1 connected\n`).join("");
  return Buffer.from(`$${text.length}\r\n${text}\r\n`);
}

/** The name of a node by its host. */
export const named = (host: string): string => nameOf({ host, port: 1 });
