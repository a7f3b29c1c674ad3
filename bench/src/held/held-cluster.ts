import { type GatewayProcess, startCluster, startGatewayProcess } from "warmline-testbed";
import type { UserTarget } from "../handlers/sparse-users.js";
import { readInfo } from "../rig/redis-info.js";
import { GREETING } from "../rig/run-instance.js";
import { slotOf, slotRanges } from "../sockets/slots.js";
import { NODES } from "./held-cases.js";

/**
 * Starts a cluster of primaries whose connections are counted, and gateways in front of it. Its endpoint is the first gateway, and
 * the node that has the key `greeting`. Users connect to the gateways, or to the cluster if there are none.
 * @param limitS the time in s after which a node closes an idle connection
 */
export async function startHeldCluster(gateways: number, limitS: number) {
  const cluster = await startCluster({ primaries: NODES, replicas: 0 });
  const started: GatewayProcess[] = [];
  const close = async () => {
    await Promise.all(started.map((gateway) => gateway.stop()));
    await cluster.stop();
  };
  const start = async () => void started.push(await startGatewayProcess({ args: ["--redis", cluster.url] }));
  try {
    const [first] = cluster.nodes;
    const slot = slotOf("greeting");
    const ranges = slotRanges(String(await first!.command("CLUSTER", "NODES")));
    const { port } = ranges.find(({ from, to }) => slot >= from && slot <= to)!;
    await cluster.nodes.find((node) => node.port === port)!.command("SET", "greeting", GREETING);
    const failed = (await Promise.allSettled(Array.from({ length: gateways }, start))).find(
      (each) => each.status === "rejected",
    );
    if (failed) throw failed.reason;
    // Not before: the start of gateways may take as long as the limit, and the connections that count are idle meanwhile.
    for (const { command } of cluster.nodes) await command("CONFIG", "SET", "timeout", limitS);
    const targets = started.map(
      ({ port, token }): UserTarget => ({ port, tls: false, auth: { protocol: "http", token } }),
    );
    const { url = "", token = "" } = started[0] ?? {};
    return {
      endpoint: { url, token, tcp: { port, tls: false } },
      targets: gateways > 0 ? targets : [{ seedPort: first!.port }],
      /** Connections at all nodes, without those that count them. */
      connections: async () => {
        const counts = await Promise.all(
          cluster.nodes.map((node) => readInfo(node, "clients", "connected_clients")),
        );
        return counts.reduce((sum, each) => sum + each - 1, 0);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
