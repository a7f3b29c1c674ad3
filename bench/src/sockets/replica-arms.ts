import type { RedisCluster } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import { createReplicaReader } from "./replica-reader.js";
import { openGateway } from "./ways.js";

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
    const get = await createReplicaReader(cluster, retries);
    return { get, close: async () => {} };
  }
  const { request, close } = await openGateway(cluster, client, "--read-policy", "prefer-replica");
  return { get: (key: string) => request([key]), close };
}
