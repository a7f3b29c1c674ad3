import type { BenchClient, ConnectedClient } from "../client/bench-client.js";
import { RawConnection } from "../client/raw-connection.js";
import { ClusterReader } from "./cluster-reader.js";
import { requestToGateway } from "./request.js";

/** The state in which a web request begins; the differences between these arms are the parts of its time. */
const ARMS = {
  new: "direct, new connections and topology",
  topology: "direct, kept connections, new topology",
  kept: "direct, kept connections and topology",
  gatewayNew: "gateway, a new connection",
  gatewayKept: "gateway, a kept connection",
} as const;
export type Arm = keyof typeof ARMS;

/** Requests of one kind. */
export interface PartsCase {
  readonly arm: Arm;
  /** The client that keeps its connections to the gateway. Default: bare sockets. */
  readonly client?: BenchClient;
  readonly name: string;
  readonly commands: number;
  /** The pause in ms before each request. */
  readonly pauseMs: number;
}

/** The pause in ms before each of the sparse requests. */
export const SPARSE_MS = 150;
/** Commands of a small request and of a large one. */
export const [ONE, TEN] = [1, 10];

/** Returns the cases: the arms, two of them with sparse requests too, and each client. */
export function partsCases(clients: readonly BenchClient[]): PartsCase[] {
  const arms = Object.entries(ARMS) as [Arm, string][];
  const dense = [
    ...arms.map(([arm, name]) => ({ arm, name })),
    ...clients.map((client) => ({ arm: "gatewayKept" as const, name: `gateway, ${client.label}`, client })),
  ];
  return [
    ...dense.flatMap((each) => [ONE, TEN].map((commands) => ({ ...each, commands, pauseMs: 0 }))),
    ...(["kept", "gatewayKept"] as const).map((arm) => ({
      ...{ arm, name: `${ARMS[arm]}, sparse requests` },
      ...{ commands: ONE, pauseMs: SPARSE_MS },
    })),
  ];
}

/** The addresses of a cluster's node and of the gateway in front of the cluster. */
export interface PartsTarget {
  readonly seedPort: number;
  readonly gateway: { readonly url: string; readonly port: number; readonly token: string };
}

/**
 * Opens an arm: a way of running requests one after another.
 * @param client the client that keeps connections to the gateway. Default: a bare socket
 */
export async function openArm(
  arm: Arm,
  { seedPort, gateway: { port, token } }: PartsTarget,
  client?: ConnectedClient,
) {
  if (arm === "gatewayNew") {
    return { request: (keys: readonly string[]) => requestToGateway(port, token, keys), close: () => {} };
  }
  if (arm === "gatewayKept") {
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
