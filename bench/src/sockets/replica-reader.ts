import type { RedisCluster } from "warmline-testbed";
import { RawConnection } from "../raw-connection.js";
import { type SlotRange, slotOf, slotRanges } from "./slots.js";

/** Reads from the replicas of a cluster, with a new connection for each command, as the article's PHP client does. */
export class ReplicaReader {
  private constructor(
    private readonly ranges: readonly SlotRange[],
    /** The replica's port by its primary's. */
    private readonly replicas: ReadonlyMap<number, number>,
    private readonly retries: boolean,
  ) {}

  /** @param retries whether a read that fails at the replica is sent to the primary */
  static async create({ nodes }: RedisCluster, retries: boolean): Promise<ReplicaReader> {
    const text = String(await nodes[0]!.command("CLUSTER", "NODES"));
    const portOf = (id: string) => nodes.find((node) => node.id === id)!.port;
    const replicas = text
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, , flags]) => flags?.includes("slave"))
      .map(([id, , , primary]) => [portOf(primary!), portOf(id!)] as const);
    return new ReplicaReader(slotRanges(text), new Map(replicas), retries);
  }

  async get(key: string): Promise<unknown> {
    const slot = slotOf(key);
    const { port } = this.ranges.find(({ from, to }) => slot >= from && slot <= to)!;
    const replica = this.replicas.get(port)!;
    if (!this.retries) return read(replica, key);
    return read(replica, key).catch(() => read(port, key));
  }
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
