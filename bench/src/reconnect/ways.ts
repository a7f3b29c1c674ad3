import { randomBytes } from "node:crypto";
import { startGatewayProcess } from "warmline-testbed";
import type { RawTarget } from "../raw-connection.js";
import type { Rig } from "../rig.js";
import type { Context } from "../scenario.js";

/** The ways to reach Redis, in the order of the table. */
export const WAYS = {
  static: "direct to Redis, static connection",
  reconnect: "direct to Redis, a connection per command",
  "gateway-static": "gateway next to Redis, static connection",
  "gateway-reconnect": "gateway next to Redis, a connection per command",
  "sidecar-reconnect": "gateway next to the function, a connection per command",
} as const;
export type Way = keyof typeof WAYS;

/** Returns the address of each way. Without a Redis over TCP there is only the gateway next to it. */
export async function startTargets(
  { endpoint, redis, trust }: Rig,
  defer: Context["defer"],
): Promise<Partial<Record<Way, RawTarget>>> {
  const { url, token, tcp } = endpoint;
  const auth = { protocol: "http", token } as const;
  const gateway: RawTarget = { port: Number(new URL(url).port), tls: true, auth };
  const beside = { "gateway-static": gateway, "gateway-reconnect": gateway };
  if (!redis || !tcp) return beside;
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
  return { static: direct, reconnect: direct, ...beside, "sidecar-reconnect": near };
}
