import type { OnReadOpts } from "node:net";
import type { Settings } from "../options.js";
import { ask } from "./ask.js";
import { Cluster, CONNECT_TIMEOUT } from "./cluster/cluster.js";
import { addressOf, Topology } from "./cluster/topology.js";
import { command } from "./command.js";
import { Detecting } from "./detecting.js";
import type { RemoteEngine } from "./redis-url.js";
import { Sentinel } from "./sentinel.js";
import { newCounters, PING, Server } from "./server.js";
import type { RedisUser, Upstream, Upstreams } from "./upstream.js";

/** How long connections of one user are kept though nobody uses them, in ms: there may be many users. */
const USER_IDLE = 60_000;

const CLUSTER_SLOTS = command("CLUSTER", "SLOTS");

/** Makes the upstreams of an engine, by the gateway's settings. Nothing is connected yet. */
export function upstreamsOf(engine: RemoteEngine, settings: Settings): Upstreams {
  const made = new Map<string, Upstream>();
  const topology = topologyOf(engine, settings);
  const sentinel = new Sentinel({
    sentinels: engine.addresses,
    group: engine.group,
    handshake: engine.sentinelHandshake,
    connectTo: engine.connectTo,
    counters: topology.counters,
  });
  const connect =
    engine.kind === "sentinel" ? (onRead?: OnReadOpts) => sentinel.connect(onRead) : engine.connect;
  let closed = false;
  return {
    of(user) {
      const key = keyOf(user);
      let upstream = made.get(key);
      if (!upstream) {
        upstream = upstreamOf({ ...engine, connect }, settings, topology, user);
        made.set(key, upstream);
        if (closed) upstream.close();
      }
      return upstream;
    },
    close() {
      closed = true;
      topology.close();
      sentinel.close();
      for (const upstream of made.values()) upstream.close();
    },
  };
}

function upstreamOf(
  engine: RemoteEngine,
  settings: Settings,
  topology: Topology,
  user: RedisUser | null,
): Upstream {
  const options = {
    handshake: engine.handshake(user),
    timeout: settings.operationTimeout,
    connections: settings.connections,
    maxBlocking: settings.maxBlocking,
    maxTransactions: settings.maxTransactions,
    maxPending: settings.maxPending,
    maxReply: settings.maxReply,
    counters: topology.counters,
    idle: user ? USER_IDLE : undefined,
  };
  const server = () => new Server({ ...options, connect: engine.connect });
  const cluster = () =>
    new Cluster({
      ...options,
      connect: engine.connectTo,
      topology,
      readPolicy: settings.readPolicy,
    });
  if (engine.kind === "cluster") return cluster();
  if (engine.kind === "unknown") return new Detecting(server(), cluster, 2 * options.timeout);
  return server();
}

/** What all users share of a cluster: one may not be allowed to ask for it. */
function topologyOf(engine: RemoteEngine, settings: Settings): Topology {
  const counters = newCounters();
  const { operationTimeout, maxReply, topologyRefresh, topologyRedirects } = settings;
  return new Topology(
    engine.addresses,
    (name) =>
      ask(
        {
          connect: (onRead) => engine.connectTo(addressOf(name), onRead),
          handshake: [...engine.handshake(null), PING],
          timeout: Math.min(operationTimeout, CONNECT_TIMEOUT),
          maxReply,
          counters,
        },
        CLUSTER_SLOTS,
      ),
    { interval: topologyRefresh, redirects: topologyRedirects },
    counters,
  );
}

/** A user that changed its password is another one: connections stay signed in as they were made. */
function keyOf(user: RedisUser | null): string {
  return user ? JSON.stringify([user.username, user.password]) : "";
}
