import {
  type Certificate,
  makeCertificate,
  type NetworkProxyOptions,
  type RedisServer,
  startGatewayProcess,
  startNetworkProxy,
  startRedis,
  until,
} from "warmline-testbed";
import type { BenchClient, Endpoint, Place } from "../client/bench-client.js";
import { withHead, withoutNumbers } from "./response-head.js";

/** Registers a function that stops something; the last one runs first. */
export type Defer = (stop: () => unknown) => void;

/** Returns what a promise starts, and registers that it is stopped. */
export async function started<T extends { stop(): unknown } | { close(): unknown }>(
  starting: Promise<T>,
  defer: Defer,
): Promise<T> {
  const running = await starting;
  defer(() => ("stop" in running ? running.stop() : running.close()));
  return running;
}

/** How far away the server is: the round-trip time in ms, and whether TLS is used. */
type Distance = Readonly<{ rttMs: number; tls: boolean }>;
type Protocol = NetworkProxyOptions["protocol"];

export interface RigOptions extends Distance {
  /** Start a `redis-server` on TCP, in front of which the gateway stands, so that both can be measured. */
  readonly redis?: boolean;
  readonly gatewayArgs?: readonly string[];
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

/** Starts the gateway and a path to it. Each part is registered once it has started, also if a later one does not start. */
export async function startRig(options: RigOptions, deferOfRig: Defer) {
  const redis = options.redis ? await started(startRedis({ listen: "tcp" }), deferOfRig) : undefined;
  const behind = redis ? ["--redis", redis.url] : ["--engine", "embedded"];
  const args = [...behind, ...(options.gatewayArgs ?? [])];
  const gateway = await started(startGatewayProcess({ args }), deferOfRig);
  const { url, token } = gateway;
  let certificate: Certificate | undefined;
  const startPath = async (port: number, { rttMs, tls }: Distance, protocol: Protocol, defer: Defer) => {
    if (tls) certificate ??= makeCertificate();
    const path = { to: { port }, rttMs, tls: tls ? certificate : undefined, protocol };
    return started(startNetworkProxy(path), defer);
  };
  const at = async (given: Partial<Distance>, defer = deferOfRig) => {
    const distance = { ...options, ...given };
    const { tls } = distance;
    const http = await startPath(gateway.port, distance, "http", defer);
    const tcp = redis && (await startPath(redis.port!, distance, "raw", defer));
    const place: Place = {
      endpoint: { url: http.url, token, ...(tcp && { tcp: { port: tcp.port, tls } }) },
      trust: tls ? { NODE_EXTRA_CA_CERTS: certificate!.caFile } : {},
    };
    return {
      ...place,
      /** Returns the proxy that clients of that protocol cross; it counts their connections and bytes, TLS included. */
      proxyOf: ({ protocol }: Pick<BenchClient, "protocol">) => (protocol === "tcp" ? tcp! : http),
      /** The proxies: in front of the gateway and, if there is one, of the Redis on TCP. */
      proxies: tcp ? [http, tcp] : [http],
    };
  };
  /** Opens a path to the gateway whose responses offer no numbers, as those of Upstash and of several gateways. */
  const plain = async (given: Partial<Distance> = {}) => {
    const place = await at(given);
    for (const proxy of place.proxies) proxy.onConnection(() => withHead(withoutNumbers));
    return place;
  };
  const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
  /** The addresses of these servers without the proxies, over loopback. */
  const direct: Endpoint = { url, token, ...(redis && { tcp: { port: redis.port!, tls: false } }) };
  return {
    ...(await at({})),
    direct,
    gateway,
    /** The Redis behind the gateway, if one was requested. */
    redis,
    /** Opens another proxy for faults, in front of the server for clients of that protocol, or of another port of it. */
    openProxy: (protocol: BenchClient["protocol"], defer: Defer, port?: number) =>
      protocol === "tcp"
        ? startPath(port ?? redis!.port!, options, "resp", defer)
        : startPath(port ?? gateway.port, options, "http", defer),
    plain,
    /** Resolves when the gateway offers numbers, which takes some seconds after its start. */
    numbered: () =>
      until(
        async () =>
          (await fetch(url, { method: "POST", headers, body: '["PING"]' })).headers.has("warmline-instance"),
        "The gateway offered no numbers within 30 s.",
        { timeoutMs: 30_000, pauseMs: 100 },
      ),
    /** Opens paths to the gateway and to the Redis behind it, over another distance. Default: they close with the rig. */
    at,
    /** The engine behind the gateway, in its own words. */
    engine: redis ? await nameOf(redis) : (await gateway.health()).engine,
    /** Runs one command on the gateway without the proxy and returns its result. @throws on an error reply */
    command: async (...args: (string | number)[]): Promise<unknown> => {
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

/** Returns a number of INFO, such as `connected_clients` of the section `clients`. */
export async function readInfo(redis: Pick<RedisServer, "command">, section: string, name: string) {
  const text = String(await redis.command("INFO", section));
  return Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)![1]);
}
