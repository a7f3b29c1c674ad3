import { type RedisCluster, startGatewayProcess } from "warmline-testbed";
import type { BenchClient } from "../bench-client.js";
import { ReplicaReader } from "./replica-reader.js";
import { requestToGateway } from "./request.js";

/** A way of reading from the replicas of a cluster. */
export interface Arm {
  readonly arm: string;
  readonly hue: number;
  /** Whether a direct read that failed is sent to the primary. Absent: through a gateway. */
  readonly retries?: boolean;
  readonly client?: BenchClient;
}
const ARMS: readonly Arm[] = [
  { arm: "direct to the replica, no retry", hue: 1, retries: false },
  { arm: "direct to the replica, then to the primary", hue: 2, retries: true },
  { arm: "gateway, a connection per request", hue: 4 },
];
/** Returns the arms: directly, through a gateway, and with each client's kept connections to a gateway. */
export const replicaArms = (clients: readonly BenchClient[]): readonly Arm[] => [
  ...ARMS,
  ...clients.map((client) => ({ arm: `gateway, ${client.label}`, hue: 0, client })),
];

/** Opens an arm, with a gateway of its own if it leads through one. */
export async function openReplicaArm({ retries, client }: Arm, cluster: RedisCluster) {
  if (retries !== undefined) {
    const reader = await ReplicaReader.create(cluster, retries);
    return { get: (key: string) => reader.get(key), close: async () => {} };
  }
  const gateway = await startGatewayProcess({
    args: ["--redis", cluster.url, "--read-policy", "prefer-replica"],
  });
  const { url, port, token } = gateway;
  const kept = client?.connect({ url, token, keepAlive: true });
  return {
    get: (key: string) => kept?.get(key) ?? requestToGateway(port, token, [key]),
    close: async () => {
      await kept?.close();
      await gateway.stop();
    },
  };
}
