import type { ConnectedClient } from "../client/bench-client.js";
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
  { port, token }: { readonly port: number; readonly token: string },
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

/** The state in which a web request begins; the differences between these arms are the parts of its time. */
export const ARMS = {
  new: "direct, new connections and topology",
  topology: "direct, kept connections, new topology",
  kept: "direct, kept connections and topology",
  gatewayNew: "gateway, a new connection",
  gatewayKept: "gateway, a kept connection",
} as const;
export type Arm = keyof typeof ARMS;

/** The addresses of a cluster's node and of the gateway in front of the cluster. */
export interface PartsTarget {
  readonly seedPort: number;
  readonly gateway: { readonly url: string; readonly port: number; readonly token: string };
}

/**
 * Opens an arm: a way of running requests one after another.
 * @param client the client that keeps connections to the gateway. Default: a bare socket
 */
export async function openArm(arm: Arm, { seedPort, gateway }: PartsTarget, client?: ConnectedClient) {
  if (arm === "gatewayNew")
    return { request: (keys: readonly string[]) => requestToGateway(gateway, keys), close: () => {} };
  if (arm === "gatewayKept") {
    const { port, token } = gateway;
    const own = client ?? (await RawConnection.open({ port, tls: false, auth: { protocol: "http", token } }));
    const request = async (keys: readonly string[]) => {
      for (const key of keys) await ("run" in own ? own.run(["GET", key]) : own.get(key));
    };
    return { request, close: () => own.close() };
  }
  const reader = new ClusterReader(seedPort);
  const request = async (keys: readonly string[]) => {
    if (arm !== "kept") reader.dropTopology();
    if (arm === "new") reader.close();
    await reader.read(keys);
  };
  return { request, close: () => reader.close() };
}
