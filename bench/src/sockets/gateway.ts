import { type RedisCluster, startGatewayProcess, startRedis } from "warmline-testbed";
import type { BenchClient, Endpoint } from "../client/bench-client.js";
import { gatewayTarget, type RawTarget } from "../client/raw-connection.js";
import { type Defer, started } from "../rig/rig.js";
import { readOnce } from "./key-reader.js";

/** Starts a Redis and, unless it is reached directly, a gateway in front of it. Returns the Redis, and the address of the server. */
export async function startServer(direct: boolean, defer: Defer, ...flags: string[]) {
  const redis = await started(startRedis({ listen: "tcp", flags: direct ? flags : [] }), defer);
  if (direct) {
    const port = redis.port!;
    const target: RawTarget = { port, tls: false, auth: { protocol: "redis" } };
    return { redis, target, endpoint: { url: "", token: "", tcp: { port, tls: false } } as Endpoint };
  }
  const gateway = await started(startGatewayProcess({ args: ["--redis", redis.url, ...flags] }), defer);
  const endpoint: Endpoint = { url: gateway.url, token: gateway.token };
  return { redis, target: gatewayTarget(gateway), endpoint };
}

/**
 * Starts a gateway in front of a cluster.
 * @param client keeps its connections. Absent: each request opens a connection
 * @returns its address, and a function that runs a GET for each key and returns the number of connections that it closed
 */
export async function startGatewayTo(
  cluster: RedisCluster,
  client: BenchClient | undefined,
  defer: Defer,
  ...flags: string[]
) {
  const gateway = await started(startGatewayProcess({ args: ["--redis", cluster.url, ...flags] }), defer);
  const { url, token } = gateway;
  const target = gatewayTarget(gateway);
  const kept = client?.connect({ url, token, keepAlive: true });
  defer(() => kept?.close());
  const request = async (keys: readonly string[]) => {
    if (!kept) return readOnce(target, keys);
    for (const key of keys) await kept.get(key);
    return 0;
  };
  return { target, request };
}
