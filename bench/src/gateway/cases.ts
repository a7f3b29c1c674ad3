import type { BenchClient } from "../client/bench-client.js";
import type { Rig } from "../rig/rig.js";
import type { Target } from "./load.js";
import { requestsOf, type Server } from "./requests.js";

/** The key that requests read. */
export const KEY = "greeting";
const MANY = 100;
const CONNECTIONS = [1, 50, 500];
const LABELS = { gateway: "warmline-gateway", webdis: "webdis", redis: "Redis over TCP" };

/** Load on one of the servers. */
export interface GatewayCase {
  readonly server: Server;
  readonly connections: number;
  readonly commands: number;
  readonly target: Target;
  /** The client whose users load it. Absent: bare sockets of a load generator. */
  readonly client?: BenchClient;
}
/** The server of a case, and the client whose users load it. */
export const nameOf = ({ server, client }: Pick<GatewayCase, "server" | "client">) =>
  `${LABELS[server]}${client ? `, users of ${client.label}` : ""}`;

/** The port and the process of a server. */
export interface Address {
  readonly port: number;
  readonly pid: number;
}
/** The running servers; undefined without webdis. */
export type Servers = Readonly<Record<"gateway" | "redis", Address>> & {
  readonly webdis: Address | undefined;
};

/** Returns the cases: requests of a load generator to each server, and users of each client. */
export function gatewayCases(
  servers: Servers,
  { gateway }: Rig,
  clients: readonly BenchClient[],
): GatewayCase[] {
  return CONNECTIONS.flatMap((connections): GatewayCase[] => [
    ...requestsOf(gateway.token, KEY, MANY).flatMap(({ server, commands, request }) => {
      const found = servers[server];
      if (!found || (commands > 1 && connections === 500)) return [];
      const { port, pid } = found;
      return [{ server, connections, commands, target: { port, pid, request } }];
    }),
    ...clients.map((client) => {
      const server = client.protocol === "tcp" ? "redis" : "gateway";
      const { port, pid } = servers[server];
      return { server, connections, commands: 1, target: { port, pid, request: "" }, client } as const;
    }),
  ]);
}
