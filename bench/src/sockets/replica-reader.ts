import type { RedisCluster } from "warmline-testbed";
import { RawConnection } from "../client/raw-connection.js";
import { slotOf, slotRanges } from "./slots.js";

/**
 * Creates a function that reads a key from a replica of a cluster, with a new connection for each command, as the article's PHP
 * client does.
 * @param retries whether a read that fails at the replica is sent to the primary
 */
export async function createReplicaReader({ nodes }: RedisCluster, retries: boolean) {
  const text = String(await nodes[0]!.command("CLUSTER", "NODES"));
  const portOf = (id: string) => nodes.find((node) => node.id === id)!.port;
  /** The replica's port by its primary's. */
  const replicas = new Map(
    text
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, , flags]) => flags?.includes("slave"))
      .map(([id, , , primary]) => [portOf(primary!), portOf(id!)] as const),
  );
  const ranges = slotRanges(text);
  return (key: string): Promise<string> => {
    const slot = slotOf(key);
    const { port } = ranges.find(({ from, to }) => slot >= from && slot <= to)!;
    const value = read(replicas.get(port)!, key);
    return retries ? value.catch(() => read(port, key)) : value;
  };
}

async function read(port: number, key: string): Promise<string> {
  const connection = await RawConnection.open({ port, tls: false, auth: { protocol: "redis" } });
  try {
    await connection.run(["READONLY"]);
    return await connection.run(["GET", key]);
  } finally {
    connection.close();
  }
}
