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
import { PrimaryFinder } from "./primary-finder.js";
import type { Reachability } from "./reachability.js";
import type { RemoteEngine } from "./redis-url.js";
import { sendOnce } from "./send-once.js";
import { Sentinel } from "./sentinel/sentinel.js";
import { PING } from "./server.js";
import type { RedisUser, Upstream, Upstreams } from "./upstream.js";
import { USER_IDLE, Users } from "./users.js";

/** The settings of upstreams: see `GatewayOptions`. */
export interface UpstreamSettings {
  readonly commandTimeout: number;
  readonly redisConnections: number;
  readonly maxBlockingConnections: number;
  readonly maxTransactionConnections: number;
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
  const shared = createShared(engine, settings, budget, reachability, activity);
  const { counters, topology, sentinel, watch } = shared;
  activity?.add({
    rest() {
      topology.rest();
      sentinel.rest();
      reachability?.forget();
    },
    wake() {
      topology.wake();
      sentinel.wake();
    },
  });
  const connect =
    engine.kind === "sentinel" ? (onRead?: OnReadOpts) => sentinel.connect(onRead) : engine.connect;
  const own = upstreamOf({ ...engine, connect }, shared, null, reachability);
  const users = new Users((user, counted) => {
    const through = {
      ...engine,
      connect: (onRead?: OnReadOpts) => counted(connect(onRead)),
      connectTo: (address: Address, onRead?: OnReadOpts) => counted(engine.connectTo(address, onRead)),
    };
    return upstreamOf(through, shared, user);
  });
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

/** Creates what the upstreams of all users share. */
function createShared(
  engine: RemoteEngine,
  settings: UpstreamSettings,
  budget: BufferBudget | undefined,
  reachability: Reachability | undefined,
  activity: Activity | undefined,
) {
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
  return { counters, settings, budget, activity, topology, sentinel, watch };
}

function upstreamOf(
  engine: RemoteEngine,
  shared: ReturnType<typeof createShared>,
  user: RedisUser | null,
  reachability?: Reachability,
): Upstream {
  const { counters, settings, budget, activity, topology, sentinel, watch } = shared;
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
    const own = { ...options, connect: engine.connect, reachability, watch };
    const finder = engine.kind === "sentinel" ? sentinel : (watch ?? new PrimaryFinder());
    return new AwaitingPrimary(own, finder);
  };
  const cluster = () => {
    // Its nodes are other servers, with other roles.
    watch?.close();
    const { readPolicy } = settings;
    return new Cluster({ ...options, connect: engine.connectTo, topology, readPolicy });
  };
  if (engine.kind === "cluster" || watch?.isCluster) return cluster();
  if (engine.kind === "unknown" && watch?.isCluster === null)
    return new AutoDetectUpstream(server(), cluster, watch);
  return server();
}
