import { setTimeout as pause } from "node:timers/promises";
import { startCluster, startNetworkProxy } from "warmline-testbed";
import type { Defer } from "../rig/rig.js";

/** The offset of a node's bus port. */
const BUS = 10_000;

/**
 * Starts a cluster whose nodes are a round trip away: each announces the port of a proxy in front of it.
 * @returns the port of the first node's proxy
 */
export async function startDistantCluster(rttMs: number, defer: Defer): Promise<number> {
  const cluster = await startCluster();
  defer(() => cluster.stop());
  const ports: number[] = [];
  for (const { port, command } of cluster.nodes) {
    const proxy = await startNetworkProxy({ to: { port }, rttMs, protocol: "raw" });
    defer(() => proxy.close());
    await command("CONFIG", "SET", "cluster-announce-bus-port", port + BUS);
    await command("CONFIG", "SET", "cluster-announce-port", proxy.port);
    ports.push(proxy.port);
  }
  const announced = async () => {
    const nodes = String(await cluster.nodes[0]!.command("CLUSTER", "NODES"));
    return ports.every((port) => nodes.includes(`:${port}@`));
  };
  const end = performance.now() + 30_000;
  while (!(await announced())) {
    if (performance.now() > end) throw new Error("The nodes did not announce their proxies within 30 s.");
    await pause(50);
  }
  await cluster.whenReady();
  return ports[0]!;
}
