import {
  type Certificate,
  type GatewayProcess,
  makeCertificate,
  type NetworkProxy,
  type NetworkProxyOptions,
  type RedisServer,
  startGatewayProcess,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import type { BenchClient, Endpoint, Place } from "../client/bench-client.js";

/** Registers a function that stops something; the last one runs first. */
export type Defer = (stop: () => unknown) => void;

/** How far away the server is. */
interface Distance {
  /** Round-trip time in ms. */
  readonly rttMs: number;
  readonly tls: boolean;
}

/** The server as seen over one distance, at the far end of the path. */
interface Site extends Place {
  /** Connections that clients of that protocol have opened over this path so far. */
  connectionsOpened(client: Pick<BenchClient, "protocol">): number;
  /** Bytes that crossed the path of clients of that protocol so far, TLS included. */
  bytes(client: Pick<BenchClient, "protocol">): NetworkProxy["bytes"];
  /** The proxies: in front of the gateway and, if there is one, of the Redis on TCP. */
  readonly proxies: readonly NetworkProxy[];
}

/** A server and the way to it, for one run. */
export interface Rig extends Site {
  /** The addresses of these servers without the proxies, over loopback. */
  readonly direct: Endpoint;
  readonly gateway: GatewayProcess;
  /** The Redis behind the gateway, if one was requested. */
  readonly redis: RedisServer | undefined;
  /** Opens another proxy for faults, in front of the server for clients of that protocol. */
  openProxy(protocol: BenchClient["protocol"], defer: Defer): Promise<NetworkProxy>;
  /** Opens paths to the gateway and to the Redis behind it, over another distance. Default: they close with the rig. */
  at(distance: Partial<Distance>, defer?: Defer): Promise<Site>;
  /** The engine behind the gateway, in its own words. */
  readonly engine: string;
  /** Runs one command on the gateway without the proxy and returns its result. @throws on an error reply */
  command(...args: (string | number)[]): Promise<unknown>;
}

export interface RigOptions extends Distance {
  /** Start a `redis-server` on TCP, in front of which the gateway stands, so that both can be measured. */
  readonly redis?: boolean;
  /** More flags for the gateway. */
  readonly gatewayArgs?: readonly string[];
}

/** Starts the gateway and a path to it. Each part is registered once it has started, also if a later one does not start. */
export async function startRig(options: RigOptions, deferOfRig: Defer): Promise<Rig> {
  const redis = options.redis ? await startRedis({ listen: "tcp" }) : undefined;
  deferOfRig(() => redis?.stop());
  const behind = redis ? ["--redis", redis.url] : ["--engine", "embedded"];
  const gateway = await startGatewayProcess({ args: [...behind, ...(options.gatewayArgs ?? [])] });
  deferOfRig(() => gateway.stop());
  const { url, token } = gateway;
  let certificate: Certificate | undefined;
  const startPath = async (
    port: number,
    { rttMs, tls }: Distance,
    protocol: NetworkProxyOptions["protocol"],
    defer: Defer,
  ) => {
    if (tls) certificate ??= makeCertificate();
    const proxy = await startNetworkProxy({ to: { port }, rttMs, tls: tls ? certificate : undefined, protocol });
    defer(() => proxy.close());
    return proxy;
  };
  const at = async (given: Partial<Distance>, defer = deferOfRig): Promise<Site> => {
    const distance = { ...options, ...given };
    const { tls } = distance;
    const http = await startPath(gateway.port, distance, "http", defer);
    const tcp = redis && (await startPath(redis.port!, distance, "raw", defer));
    const proxyOf = ({ protocol }: Pick<BenchClient, "protocol">) => (protocol === "tcp" ? tcp! : http);
    return {
      endpoint: { url: http.url, token, ...(tcp && { tcp: { port: tcp.port, tls } }) },
      trust: tls ? { NODE_EXTRA_CA_CERTS: certificate!.caFile } : {},
      connectionsOpened: (client) => proxyOf(client).connectionsOpened,
      bytes: (client) => proxyOf(client).bytes,
      proxies: [http, ...(tcp ? [tcp] : [])],
    };
  };
  return {
    ...(await at({})),
    direct: { url, token, ...(redis && { tcp: { port: redis.port!, tls: false } }) },
    gateway,
    redis,
    openProxy: (protocol, defer) =>
      protocol === "tcp"
        ? startPath(redis!.port!, options, "resp", defer)
        : startPath(gateway.port, options, "http", defer),
    at,
    engine: redis ? await nameOf(redis) : (await gateway.health()).engine,
    command: async (...args) => {
      const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
      const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(args) });
      const { result, error } = (await reply.json()) as { result?: unknown; error?: string };
      if (error !== undefined) throw new Error(error);
      return result;
    },
  };
}

async function nameOf(redis: RedisServer): Promise<string> {
  const info = String(await redis.command("INFO", "server"));
  return `redis-server ${/redis_version:(\S+)/.exec(info)?.[1] ?? "of unknown version"}`;
}
