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

/** Registers a clean-up function. They run in reverse order. */
export type Defer = (stop: () => unknown) => void;

/** Waits for a server or proxy to start, registers its stop or close with `defer`, and returns it. */
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
  /** Start a `redis-server` that listens on TCP, and the gateway in front of it, so that both can be measured. */
  readonly redis?: boolean;
  readonly gatewayArgs?: readonly string[];
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

/** Starts the gateway and a proxy in front of it. Each part that has started will be stopped, even if a later one fails to start. */
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
  const at = async (changes: Partial<Distance>, defer = deferOfRig) => {
    const distance = { ...options, ...changes };
    const { tls } = distance;
    const http = await startPath(gateway.port, distance, "http", defer);
    const tcp = redis && (await startPath(redis.port!, distance, "raw", defer));
    const place: Place = {
      endpoint: { url: http.url, token, ...(tcp && { tcp: { port: tcp.port, tls } }) },
      trust: tls ? { NODE_EXTRA_CA_CERTS: certificate!.caFile } : {},
    };
    return {
      ...place,
      /** Returns the proxy that a client connects to. It counts connections, and bytes including TLS. */
      proxyOf: ({ protocol }: Pick<BenchClient, "protocol">) => (protocol === "tcp" ? tcp! : http),
      /** The proxies in front of the gateway and, if it listens on TCP, of Redis. */
      proxies: tcp ? [http, tcp] : [http],
    };
  };
  /** Opens a path to the gateway whose responses offer no numbers, like those of Upstash or of several gateways at one Redis. */
  const plain = async (changes: Partial<Distance> = {}) => {
    const place = await at(changes);
    for (const proxy of place.proxies) proxy.onConnection(() => withHead(withoutNumbers));
    return place;
  };
  const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
  /** The addresses of the gateway and of Redis on loopback, without proxies. */
  const direct: Endpoint = { url, token, ...(redis && { tcp: { port: redis.port!, tls: false } }) };
  return {
    ...(await at({})),
    direct,
    gateway,
    /** The Redis behind the gateway, if one was requested. */
    redis,
    /** Opens another proxy, for faults, in front of the gateway (`http`) or Redis (`tcp`), or of another `port`. */
    openProxy: (protocol: BenchClient["protocol"], defer: Defer, port?: number) =>
      protocol === "tcp"
        ? startPath(port ?? redis!.port!, options, "resp", defer)
        : startPath(port ?? gateway.port, options, "http", defer),
    plain,
    /** Waits until the gateway offers numbers, some seconds after its start. */
    numbered: () =>
      until(
        async () =>
          (await fetch(url, { method: "POST", headers, body: '["PING"]' })).headers.has("warmline-instance"),
        "The gateway offered no numbers within 30 s.",
        { timeoutMs: 30_000, pauseMs: 100 },
      ),
    /** Opens paths to the gateway and to Redis over another distance. Without `defer` they close with the rig. */
    at,
    /** The name of the Redis behind the gateway, for the results. */
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

/** Reads the metrics of a gateway. Returns a function that adds up a metric over its labels, by its name after `warmline_gateway_`. */
export async function readMetrics({ url, token }: Pick<Endpoint, "url" | "token">) {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  const text = await response.text();
  return (name: string) => sumOf(text, `warmline_gateway_${name}`);
}

/** The sum over a metric's labels in the Prometheus text format. @throws if there is no such metric */
export function sumOf(text: string, name: string): number {
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"));
  const values = Array.from(lines, ([, value]) => Number(value));
  if (values.length === 0) throw new Error(`The gateway has no metric ${name}.`);
  return values.reduce((sum, value) => sum + value, 0);
}

async function nameOf(redis: RedisServer): Promise<string> {
  const info = String(await redis.command("INFO", "server"));
  return `redis-server ${/redis_version:(\S+)/.exec(info)?.[1] ?? "of unknown version"}`;
}

/** Returns a number from INFO, such as `connected_clients` in the section `clients`. */
export async function readInfo(redis: Pick<RedisServer, "command">, section: string, name: string) {
  const text = String(await redis.command("INFO", section));
  return Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)![1]);
}
