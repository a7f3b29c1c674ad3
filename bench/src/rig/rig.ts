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
import type { BenchClient, Endpoint } from "../client/bench-client.js";

/** A server and the way to it, for one run. Closing it stops everything; later calls return the same promise. */
export interface Rig extends Site {
  /** The addresses of these servers without the proxies, over loopback. */
  readonly direct: Endpoint;
  /** Environment variables that a function needs to trust the server. */
  readonly trust: Readonly<Record<string, string>>;
  readonly gateway: GatewayProcess;
  /** The Redis behind the gateway, if one was requested. */
  readonly redis: RedisServer | undefined;
  readonly proxy: NetworkProxy;
  /** Opens another proxy, in front of the server for clients of that protocol; the caller closes it. */
  openProxy(protocol: BenchClient["protocol"], options?: Partial<Distance>): Promise<NetworkProxy>;
  /** Paths to the gateway and to the Redis behind it, over another distance; they close with the rig at the latest. */
  at(distance: Partial<Distance>): Promise<Site>;
  /** The engine behind the gateway, in its own words. */
  readonly engine: string;
  /** Runs one command on the gateway without the proxy and returns its result. @throws on an error reply */
  command(...args: (string | number)[]): Promise<unknown>;
}

/** How far away the server is. */
export interface Distance {
  /** Round-trip time in ms. */
  readonly rttMs: number;
  readonly tls: boolean;
}

/** The server as seen over one distance. */
export interface Site {
  /** Where functions find the server: at the far end of the path. */
  readonly endpoint: Endpoint;
  /** Connections that clients of that client have opened over these paths so far. */
  connectionsOpened(client: Pick<BenchClient, "protocol">): number;
  /** Bytes that crossed the path of clients of that protocol so far, TLS included. */
  bytes(client: Pick<BenchClient, "protocol">): NetworkProxy["bytes"];
  /** The paths themselves. */
  readonly proxies: readonly NetworkProxy[];
  /** Closes the paths before the rig is closed. */
  close(): Promise<void>;
}

/** Options of {@link startRig}. */
export interface RigOptions extends Distance {
  /** Start a `redis-server` on TCP, in front of which the gateway stands, so that both can be measured. */
  readonly redis?: boolean;
  /** More flags for the gateway. */
  readonly gatewayArgs?: readonly string[];
}

/** Starts the gateway and a path to it. If a part of it does not start, what has started is stopped. */
export async function startRig(options: RigOptions): Promise<Rig> {
  /** Stops what has started; the last one runs first. */
  const stops: (() => unknown)[] = [];
  let closed: Promise<void> | undefined;
  const closeAll = async () => {
    for (const stop of stops.toReversed()) await stop();
  };
  const close = () => {
    closed ??= closeAll();
    return closed;
  };
  try {
    // Not a copy: `trust` depends on what is opened later.
    return Object.assign(await startParts(options, (stop) => void stops.push(stop)), { close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the parts of a rig. Each is stopped by a function that `defer` receives once it has started. */
async function startParts(
  options: RigOptions,
  defer: (stop: () => unknown) => void,
): Promise<Omit<Rig, "close">> {
  const redis = options.redis ? await startRedis({ listen: "tcp" }) : undefined;
  defer(() => redis?.stop());
  const behind = redis ? ["--redis", redis.url] : ["--engine", "embedded"];
  const gateway = await startGatewayProcess({ args: [...behind, ...(options.gatewayArgs ?? [])] });
  defer(() => gateway.stop());
  const paths = new Set<NetworkProxy>();
  defer(() => Promise.all(Array.from(paths, (path) => path.close())));
  let certificate: Certificate | undefined;
  defer(() => certificate?.remove());
  const pathTo = (
    port: number,
    distance: Distance,
    protocol: NonNullable<NetworkProxyOptions["protocol"]>,
  ) => {
    if (distance.tls) certificate ??= makeCertificate();
    const tls = distance.tls ? certificate : undefined;
    return startNetworkProxy({ to: { port }, rttMs: distance.rttMs, tls, protocol });
  };
  const at = async (given: Partial<Distance>): Promise<Site> => {
    const distance = { ...options, ...given };
    const http = await pathTo(gateway.port, distance, "http");
    paths.add(http);
    const tcp = redis && (await pathTo(redis.port!, distance, "raw"));
    if (tcp) paths.add(tcp);
    const proxies = [http, ...(tcp ? [tcp] : [])];
    const proxyOf = ({ protocol }: Pick<BenchClient, "protocol">) => (protocol === "tcp" ? tcp! : http);
    return {
      proxies,
      close: async () => {
        for (const proxy of proxies) paths.delete(proxy);
        await Promise.all(proxies.map((proxy) => proxy.close()));
      },
      endpoint: {
        url: http.url,
        token: gateway.token,
        ...(tcp && { tcp: { port: tcp.port, tls: distance.tls } }),
      },
      connectionsOpened: (client) => proxyOf(client).connectionsOpened,
      bytes: (client) => proxyOf(client).bytes,
    };
  };
  const site = await at({});
  return {
    ...site,
    direct: {
      url: gateway.url,
      token: gateway.token,
      ...(redis && { tcp: { port: redis.port!, tls: false } }),
    },
    redis,
    get trust(): Record<string, string> {
      return certificate ? { NODE_EXTRA_CA_CERTS: certificate.caFile } : {};
    },
    gateway,
    proxy: site.proxies[0]!,
    openProxy: (protocol, distance) =>
      protocol === "tcp"
        ? pathTo(redis!.port!, { ...options, ...distance }, "resp")
        : pathTo(gateway.port, { ...options, ...distance }, "http"),
    at,
    engine: redis ? await nameOf(redis) : (await gateway.health()).engine,
    command: async (...args) => {
      const headers = { Authorization: `Bearer ${gateway.token}`, Connection: "close" };
      const reply = await fetch(gateway.url, { method: "POST", headers, body: JSON.stringify(args) });
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
