import { setTimeout as sleep } from "node:timers/promises";
import { RawConnection, type RawTarget } from "../client/raw-connection.js";
import { gatewayListens, readInfo } from "../rig/redis-info.js";
import type { Rig } from "../rig/rig.js";

/** The number of connections that open at a time: fewer than a listening socket's queue. */
const AT_ONCE = 50;
/** Timeout in ms for Redis to close the connections that its clients have closed. */
const CLOSED_WITHIN = 10_000;

/**
 * Counts the connections at Redis of instances with one connection each, which has run a command. An instance is a socket here,
 * since its client would open one: to Redis over TCP, or to the gateway over HTTP.
 */
export async function connectionsAtRedis(
  { direct, redis }: Rig,
  protocol: "http" | "tcp",
  instances: number,
): Promise<number> {
  const { url, token, tcp } = direct;
  const target: RawTarget =
    protocol === "tcp"
      ? { ...tcp!, auth: { protocol: "redis" } }
      : { port: Number(new URL(url).port), tls: false, auth: { protocol: "http", token } };
  const connectedClients = () => readInfo(redis!, "clients", "connected_clients");
  const open: RawConnection[] = [];
  const connect = async () => {
    const connection = await RawConnection.open(target);
    open.push(connection);
    await connection.run(["GET", "greeting"]);
  };
  await gatewayListens(redis!);
  const before = await connectedClients();
  // The gateway's connections are there before its clients come. Over TCP they are not the instances'.
  const others = protocol === "tcp" ? before : 1;
  let count: number;
  try {
    while (open.length < instances) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, instances - open.length) }, connect));
    }
    count = (await connectedClients()) - others;
  } finally {
    for (const connection of open) connection.close();
  }
  // Redis closes its ends later. Until then another count would include them.
  const deadline = performance.now() + CLOSED_WITHIN;
  while ((await connectedClients()) > before) {
    if (performance.now() > deadline) throw new Error("closed connections are still open at Redis");
    await sleep(10);
  }
  return count;
}
