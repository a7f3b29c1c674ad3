import { type RedisCluster, startGatewayProcess } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { RawConnection } from "../client/raw-connection.js";
import { requestToGateway } from "./requests.js";
import { rangeOf, slotRanges } from "./slots.js";

/** Opens a way to a cluster through a gateway of its own: over a client's kept connections, or one for each request. */
export async function openGateway(cluster: RedisCluster, client?: BenchClient, ...flags: string[]) {
  const gateway = await startGatewayProcess({ args: ["--redis", cluster.url, ...flags] });
  const { url, token } = gateway;
  const kept = client?.connect({ url, token, keepAlive: true });
  return {
    gateway,
    /** Runs one GET per key. Returns the number of connections that it closed. */
    request: async (keys: readonly string[]) => {
      if (!kept) return requestToGateway(gateway, keys);
      for (const key of keys) await kept.get(key);
      return 0;
    },
    close: async () => {
      await kept?.close();
      await gateway.stop();
    },
  };
}

/**
 * Creates a function that reads a key from a replica of a cluster, with a new connection for each command, as the article's PHP
 * client does.
 * @param retries whether a read that fails at the replica is sent to the primary
 */
export async function createReplicaReader(cluster: RedisCluster, retries: boolean) {
  const ranges = slotRanges((await cluster.nodes[0]!.command("CLUSTER", "SLOTS")) as never);
  return (key: string): Promise<string> => {
    const { port, replicas } = rangeOf(ranges, key);
    const value = readOnce(replicas[0]!, key);
    return retries ? value.catch(() => readOnce(port, key)) : value;
  };
}

async function readOnce(port: number, key: string): Promise<string> {
  const connection = await RawConnection.open({ port, tls: false, auth: { protocol: "redis" } });
  try {
    await connection.run(["READONLY"]);
    return await connection.run(["GET", key]);
  } finally {
    connection.close();
  }
}
