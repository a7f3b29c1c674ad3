import { randomBytes } from "node:crypto";
import { startGatewayProcess } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import type { RawTarget } from "../client/raw-connection.js";
import type { Rig } from "../rig/rig.js";
import type { Context } from "../scenario.js";

/** The ways of plain sockets to Redis, in the order of the table. */
const WAYS = {
  static: "direct to Redis, static connection",
  reconnect: "direct to Redis, a connection per command",
  "gateway-static": "gateway next to Redis, static connection",
  "gateway-reconnect": "gateway next to Redis, a connection per command",
  "sidecar-reconnect": "gateway next to the function, a connection per command",
} as const;

/** A way to reach Redis. */
export interface ReconnectWay {
  readonly way: keyof typeof WAYS | "client-static" | "client-reconnect";
  readonly title: string;
  /** Whether each command has a connection of its own. */
  readonly reconnect: boolean;
  /** The address of plain sockets. Absent: a client. */
  readonly target?: RawTarget;
  readonly client?: BenchClient;
  /** The protocol of the rig's proxy that the connections cross; absent if they cross none. */
  readonly crosses?: BenchClient["protocol"];
}

/**
 * Returns the ways: those of plain sockets, and each client with keep-alive on and off. Without a Redis over TCP, plain sockets
 * reach only the gateway next to it.
 */
export async function startWays(
  { endpoint, redis, trust }: Rig,
  clients: readonly BenchClient[],
  defer: Context["defer"],
): Promise<ReconnectWay[]> {
  const { url, token, tcp } = endpoint;
  const auth = { protocol: "http", token } as const;
  const gateway: RawTarget = { port: Number(new URL(url).port), tls: true, auth };
  const plain = (
    way: keyof typeof WAYS,
    target: RawTarget,
    crosses?: BenchClient["protocol"],
  ): ReconnectWay => ({
    way,
    title: WAYS[way],
    reconnect: way.endsWith("reconnect"),
    target,
    ...(crosses && { crosses }),
  });
  const beside = [plain("gateway-static", gateway, "http"), plain("gateway-reconnect", gateway, "http")];
  const ofClients = clients.flatMap((client) =>
    [false, true].map(
      (reconnect): ReconnectWay => ({
        way: reconnect ? "client-reconnect" : "client-static",
        title: `${client.label}, ${reconnect ? "a connection per command" : "kept connections"}`,
        reconnect,
        client,
        crosses: client.protocol,
      }),
    ),
  );
  if (!redis || !tcp) return [...beside, ...ofClients];
  const [user, password] = ["bench", randomBytes(16).toString("hex")];
  await redis.command("ACL", "SETUSER", user, "on", `>${password}`, "~*", "+@all");
  const direct: RawTarget = { ...tcp, auth: { protocol: "redis", user, password } };
  const sidecar = await startGatewayProcess({
    args: ["--redis", `rediss://${user}:${password}@127.0.0.1:${tcp.port}`],
    env: trust,
  });
  defer(() => sidecar.stop());
  const near: RawTarget = {
    port: sidecar.port,
    tls: false,
    auth: { protocol: "http", token: sidecar.token },
  };
  return [
    plain("static", direct, "tcp"),
    plain("reconnect", direct, "tcp"),
    ...beside,
    plain("sidecar-reconnect", near),
    ...ofClients,
  ];
}
