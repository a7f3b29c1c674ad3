import type { OnReadOpts } from "node:net";
import type { BufferBudget } from "../util/buffer-budget.js";
import type { Activity } from "./activity.js";
import { AddressWatch } from "./address-watch.js";
import { AutoDetectUpstream } from "./auto-detect-upstream.js";
import { AwaitingPrimary } from "./awaiting-primary.js";
import { Cluster, CONNECT_TIMEOUT } from "./cluster/cluster.js";
import type { ReadPolicy } from "./cluster/read-policy.js";
import { type Address, addressOf, Topology } from "./cluster/topology.js";
import { newCounters } from "./counters.js";
import type { ExclusiveConnectionsOptions } from "./exclusive-connections.js";
import { PrimaryFinder } from "./primary-finder.js";
import type { Reachability } from "./reachability.js";
import type { RemoteEngine } from "./redis-url.js";
import { sendOnce } from "./send-once.js";
import { Sentinel } from "./sentinel/sentinel.js";
import { PING } from "./server.js";
import type { RedisUser, Upstream, Upstreams } from "./upstream.js";
import { type Counted, USER_IDLE, Users } from "./users.js";

/** The settings of upstreams: see `GatewayOptions`. */
export interface UpstreamSettings extends ExclusiveConnectionsOptions {
  readonly commandTimeout: number;
  readonly redisConnections: number;
  readonly maxQueuedCommands: number;
  readonly maxReplySize: number;
  readonly readPolicy: ReadPolicy;
}

/**
 * Makes the upstreams of an engine, by the gateway's settings. Nothing is connected yet.
 * @param reachability records whether the engine can be reached; commands of the gateway's own user fail at once until it was
 * @param activity when connections are closed, since Redis is not used. Default: never
 */
export function createUpstreams(
  engine: RemoteEngine,
  settings: UpstreamSettings,
  budget?: BufferBudget,
  reachability?: Reachability,
  activity?: Activity,
): Upstreams {
  const counters = newCounters();
  // The gateway's own questions are asked as the user that it was set up with: others may not run CLUSTER SLOTS.
  const asking = {
    handshake: [...engine.handshake(null), PING],
    credentials: engine.credentials ?? undefined,
    connectTimeout: Math.min(settings.commandTimeout, CONNECT_TIMEOUT),
    maxReplySize: settings.maxReplySize,
    counters,
  };
  const topology = new Topology(
    engine.addresses,
    (name, question) =>
      sendOnce({ ...asking, connect: (onRead) => engine.connectTo(addressOf(name), onRead) }, question),
    counters,
    reachability,
  );
  const sentinel = new Sentinel(engine, counters, reachability);
  const isAddress = engine.kind === "server" || engine.kind === "unknown";
  /** Keeps the connections at the server that a single address leads to. */
  const watch =
    reachability && isAddress
      ? new AddressWatch({ ...asking, connect: engine.connect }, reachability)
      : undefined;
  activity?.add(topology);
  activity?.add(sentinel);
  activity?.add({ rest: () => reachability?.forget() });

  const upstreamOf = (user: RedisUser | null, counted: Counted = (connection) => connection): Upstream => {
    const options = {
      handshake: engine.handshake(user),
      credentials: user ? undefined : (engine.credentials ?? undefined),
      explain: engine.explain,
      timeout: settings.commandTimeout,
      connections: settings.redisConnections,
      maxBlockingConnections: settings.maxBlockingConnections,
      maxTransactionConnections: settings.maxTransactionConnections,
      maxQueuedCommands: settings.maxQueuedCommands,
      maxReplySize: settings.maxReplySize,
      budget,
      counters,
      idle: user ? USER_IDLE : undefined,
      activity,
    };
    const server = () => {
      const connect = (onRead?: OnReadOpts) =>
        engine.kind === "sentinel" ? sentinel.connect(onRead) : engine.connect(onRead);
      const own = { ...options, reachability: user ? undefined : reachability, watch };
      const finder = engine.kind === "sentinel" ? sentinel : (watch ?? new PrimaryFinder());
      return new AwaitingPrimary({ ...own, connect: (onRead) => counted(connect(onRead)) }, finder);
    };
    const cluster = () => {
      // Its nodes are other servers, with other roles.
      watch?.close();
      const connect = (to: Address, onRead?: OnReadOpts) => counted(engine.connectTo(to, onRead));
      return new Cluster({ ...options, connect, topology, readPolicy: settings.readPolicy });
    };
    if (engine.kind === "cluster") return cluster();
    if (engine.kind !== "unknown" || !watch || watch.isCluster === false) return server();
    return watch.isCluster ? cluster() : new AutoDetectUpstream(server(), cluster, watch);
  };
  const own = upstreamOf(null);
  const users = new Users(upstreamOf);
  return {
    counters,
    of: (user) => (user ? users.of(user) : own),
    *[Symbol.iterator]() {
      yield own;
      yield* users;
    },
    close() {
      topology.close();
      sentinel.close();
      watch?.close();
      own.close();
      users.close();
    },
  };
}
