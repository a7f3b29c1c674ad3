import { type GatewayProcess, type RedisCluster, startGatewayProcess } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { requestToCluster, requestToGateway } from "./request.js";

/** How web requests reach a cluster. */
export interface Way {
  readonly way: string;
  /** The colour in charts. */
  readonly hue: number;
  /** Whether requests connect to the cluster's nodes, not to a gateway. */
  readonly direct?: boolean;
  /** The client that keeps its connections to the gateway. Absent: each request opens a connection. */
  readonly client?: BenchClient;
}

/** Returns the ways: directly, through a gateway with a connection per request, and with each client, over HTTP. */
export const waysOf = (clients: readonly BenchClient[]): Way[] => [
  { way: "direct to the cluster, new connections per request", hue: 1, direct: true },
  { way: "gateway, a connection per request", hue: 2 },
  ...clients.map((client) => ({ way: `gateway, kept connections of ${client.label}`, hue: 0, client })),
];

/** A way that is ready for requests. */
export interface OpenWay {
  /** The gateway in front of the cluster, if there is one. */
  readonly gateway: GatewayProcess | undefined;
  /** Runs one GET per key. Returns the number of connections that it closed. */
  request(keys: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens a way to a cluster, with a gateway of its own if it leads through one.
 * @param from the local address of connections to the cluster
 */
export async function openWay(
  cluster: RedisCluster,
  { direct, client, from }: Omit<Way, "way" | "hue"> & { readonly from?: string },
): Promise<OpenWay> {
  if (direct) {
    const request = (keys: readonly string[]) => requestToCluster(cluster.nodes[0]!.port, keys, from);
    return { gateway: undefined, request, close: async () => {} };
  }
  return openGateway(cluster, client);
}

/** Opens a way to a cluster through a gateway of its own, which is started with more flags. */
export async function openGateway(cluster: RedisCluster, client?: BenchClient, ...flags: string[]) {
  const gateway = await startGatewayProcess({ args: ["--redis", cluster.url, ...flags] });
  const { url, port, token } = gateway;
  const kept = client?.connect({ url, token, keepAlive: true });
  return {
    gateway,
    request: async (keys: readonly string[]) => {
      if (!kept) return requestToGateway(port, token, keys);
      for (const key of keys) await kept.get(key);
      return 0;
    },
    close: async () => {
      await kept?.close();
      await gateway.stop();
    },
  };
}
