import { RawConnection } from "../client/raw-connection.js";
import { ClusterReader } from "./cluster-reader.js";

/**
 * Runs one web request of a process that keeps nothing: it fetches the cluster's topology, connects to each node that it needs,
 * runs its commands and closes everything, as the PHP client of the article does.
 * @param from the local address of its connections
 * @returns the number of connections that it closed
 */
export async function requestToCluster(
  seedPort: number,
  keys: readonly string[],
  from?: string,
): Promise<number> {
  const reader = new ClusterReader(seedPort, from);
  try {
    await reader.read(keys);
    return reader.connections;
  } finally {
    reader.close();
  }
}

/**
 * Runs one web request through the gateway, from a process that keeps no connection: opens one and closes it at the end.
 * @returns the number of connections that it closed
 */
export async function requestToGateway(
  port: number,
  token: string,
  keys: readonly string[],
): Promise<number> {
  const connection = await RawConnection.open({ port, tls: false, auth: { protocol: "http", token } });
  try {
    for (const key of keys) await connection.run(["GET", key]);
    return 1;
  } finally {
    connection.close();
  }
}
