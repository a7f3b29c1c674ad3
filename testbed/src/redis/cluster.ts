import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../ports.js";
import { type RedisProcess, runRedis, untilTogether } from "./process.js";

const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 10_000;
/** Node timeout while a cluster starts. Each node pings every other within half of it, so a short one makes them agree sooner. */
const STARTING_TIMEOUT_MS = 2_000;

/** One node of a cluster. A restart keeps its view of the cluster. */
export interface ClusterNode extends RedisProcess {
  readonly port: number;
  /** The node's id in the cluster. A restart keeps it. */
  readonly id: string;
  /** The role at startup; a failover may have changed it since. */
  readonly role: "primary" | "replica";
}

/** A Redis Cluster of the testbed. */
export interface RedisCluster {
  readonly nodes: readonly ClusterNode[];
  /** The first node's address, as a `redis://` URL. */
  readonly url: string;
  /** The first node's address with TLS, as a `rediss://` URL; undefined without TLS. */
  readonly tlsUrl: string | undefined;
  /** Waits until every living node sees all slots served, every other node in its role, and every replica. */
  whenReady(): Promise<void>;
  /** Ends all nodes and removes their folders. */
  stop(): Promise<void>;
}

/** Options of {@link startCluster}. */
export interface ClusterOptions {
  /** Number of primaries. Default 3. */
  readonly primaries?: number;
  /** Number of replicas of all primaries together. Default 3. */
  readonly replicas?: number;
  /** Time in ms without an answer after which a node counts as failed. Default 10,000: long enough for a busy machine. */
  readonly nodeTimeoutMs?: number;
  /** More flags for every node. */
  readonly flags?: readonly string[];
  /** A file with a certificate and its key (PEM): every node listens with TLS as well, on a separate port. */
  readonly tls?: string;
}

/**
 * Starts a real cluster on free loopback ports, by default of three primaries and three replicas, with the slots spread evenly.
 * Returns when every node sees a complete cluster.
 * @throws if there is no server on PATH (see {@link findRedisServer}) or a node does not start
 */
export async function startCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const folder = mkdtempSync(join(tmpdir(), "warmline-cluster-"));
  const nodes: ClusterNode[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  const whenReady = () => allReady(nodes);
  const { primaries = 3, replicas = 3, nodeTimeoutMs = NODE_TIMEOUT_MS } = options;
  const size = primaries + replicas;
  const tlsPorts = options.tls === undefined ? [] : await freePorts(size);
  const tlsUrl = tlsPorts.length > 0 ? `rediss://127.0.0.1:${tlsPorts[0]}` : undefined;
  try {
    for (const port of await freePorts(size)) {
      const flags = [...(options.flags ?? []), ...tlsFlags(tlsPorts[nodes.length], options.tls)];
      const role = nodes.length < primaries ? "primary" : "replica";
      nodes.push(await startNode(port, role, folder, { nodeTimeoutMs, flags }));
    }
    await setNodeTimeout(nodes, Math.min(nodeTimeoutMs, STARTING_TIMEOUT_MS));
    // With TLS, nodes find each other by their TLS ports.
    await introduce(nodes, tlsPorts[0] ?? nodes[0]!.port);
    await whenReady();
    await setNodeTimeout(nodes, nodeTimeoutMs);
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, url: `redis://127.0.0.1:${nodes[0]!.port}`, tlsUrl, whenReady, stop };
}

function tlsFlags(port?: number, file = ""): string[] {
  if (port === undefined) return [];
  const files = ["cert", "key", "ca-cert"].flatMap((name) => [`--tls-${name}-file`, file]);
  const parts = ["cluster", "replication"].flatMap((name) => [`--tls-${name}`, "yes"]);
  return ["--tls-port", String(port), "--tls-auth-clients", "no", ...parts, ...files];
}

async function startNode(
  port: number,
  role: ClusterNode["role"],
  parent: string,
  options: { readonly nodeTimeoutMs: number; readonly flags: readonly string[] },
): Promise<ClusterNode> {
  const folder = join(parent, String(port));
  mkdirSync(folder);
  const flags = [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"],
    ...["--cluster-enabled", "yes", "--cluster-node-timeout", String(options.nodeTimeoutMs)],
    ...["--cluster-config-file", "nodes.conf", "--repl-diskless-sync-delay", "0"],
    // CLUSTER SLOTS lists a replica only if its replication offset is not 0, so not before the first ping of its primary.
    ...["--repl-ping-replica-period", "1"],
    ...options.flags,
  ];
  const running = await runRedis(flags, { port }, parent);
  const id = String(await running.command("CLUSTER", "MYID"));
  return Object.assign(running, { port, role, id });
}

async function setNodeTimeout(nodes: readonly ClusterNode[], ms: number): Promise<void> {
  for (const node of nodes) await node.command("CONFIG", "SET", "cluster-node-timeout", ms);
}

/** Introduces the nodes to each other, assigns the slots, and assigns the replicas to the primaries in turn. */
async function introduce(nodes: readonly ClusterNode[], firstPort: number): Promise<void> {
  const primaries = nodes.filter((node) => node.role === "primary");
  for (const [index, node] of primaries.entries()) {
    const from = Math.floor((SLOTS * index) / primaries.length);
    const to = Math.floor((SLOTS * (index + 1)) / primaries.length) - 1;
    await node.command("CLUSTER", "ADDSLOTSRANGE", from, to);
    await node.command("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
  }
  for (const node of nodes.slice(1)) await node.command("CLUSTER", "MEET", "127.0.0.1", firstPort);
  await untilTogether(async () => {
    for (const node of nodes) {
      const lines = await readNodeLines(node);
      if (lines.length < nodes.length || lines.some((line) => line.includes("handshake"))) return false;
    }
    return true;
  });
  for (const [index, replica] of nodes.filter((node) => node.role === "replica").entries()) {
    await replica.command("CLUSTER", "REPLICATE", primaries[index % primaries.length]!.id);
  }
}

async function allReady(nodes: readonly ClusterNode[]): Promise<void> {
  await untilTogether(async () => {
    const living = nodes.filter((node) => node.alive);
    const views = await Promise.all(living.map(readView));
    // Gossip reports a node first, and later that it is a replica.
    const agree = ({ flagsById, listed }: (typeof views)[number]) =>
      views.every(({ id, role }) => {
        const flags = flagsById.get(id);
        const isListed = role === "master" || listed.has(id);
        return isListed && flags?.includes(role) && !flags.some((flag) => flag.startsWith("fail"));
      });
    return views.every((view) => view.ready && agree(view));
  });
}

/** Returns the lines of a node's CLUSTER NODES, one for each node that it knows. */
const readNodeLines = async ({ command }: Pick<ClusterNode, "command">) =>
  String(await command("CLUSTER", "NODES"))
    .trim()
    .split("\n");

/** Returns a node's role, whether it is ready, the flags of each node in its view, and the ids that it lists to clients. */
async function readView({ id, command }: ClusterNode) {
  const info = String(await command("CLUSTER", "INFO"));
  const lines = (await readNodeLines({ command })).map((line) => line.split(" "));
  // A node lists a replica only once it knows the replica's replication offset.
  const ranges = (await command("CLUSTER", "SLOTS")) as [from: number, to: number, ...nodes: string[][]][];
  const listed = new Set(ranges.flatMap(([, , ...nodes]) => nodes.map(([, , id]) => id!)));
  const replication = String(await command("INFO", "replication"));
  const flagsById = new Map(lines.map(([node, , flags]) => [node!, flags!.split(",")]));
  // Until primaries have different epochs, a slot that is moved can return to its old owner.
  const epochs = lines
    .filter(([, , flags]) => /\bmaster\b/.test(flags!) && !/\bfail\b/.test(flags!))
    .map((fields) => fields[6]);
  const ready =
    info.includes("cluster_state:ok") &&
    info.includes(`cluster_slots_ok:${SLOTS}`) &&
    new Set(epochs).size === epochs.length &&
    (!replication.includes("role:slave") || replication.includes("master_link_status:up"));
  return { id, role: replication.includes("role:slave") ? "slave" : "master", ready, flagsById, listed };
}
