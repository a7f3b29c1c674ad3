import {
  type GatewayProcess,
  makeCertificate,
  type Path,
  startGatewayProcess,
  startPath,
} from "warmline-testbed";
import type { Endpoint } from "./peer.js";

/** A server and the way to it, for one run. */
export interface Rig {
  /** Where functions find the server: at the far end of the path. */
  readonly endpoint: Endpoint;
  /** Environment variables that a function needs to trust the server. */
  readonly trust: Readonly<Record<string, string>>;
  readonly gateway: GatewayProcess;
  readonly path: Path;
  /** Another path to the gateway like that one; whoever opens it closes it. */
  openPath(): Promise<Path>;
  /** The engine behind the gateway, in its own words. */
  readonly engine: string;
  /** Runs one command straight at the gateway, past the path; gives its result. @throws if it is refused */
  command(...words: (string | number)[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts the gateway and a path to it. */
export async function startRig(options: { engine: string; rttMs: number; tls: boolean }): Promise<Rig> {
  const gateway = await startGatewayProcess({ args: ["--engine", options.engine] });
  const certificate = options.tls ? makeCertificate() : undefined;
  const openPath = () => startPath({ to: { port: gateway.port }, rttMs: options.rttMs, tls: certificate });
  const path = await openPath();
  return {
    endpoint: { url: path.url, token: gateway.token },
    trust: certificate ? { NODE_EXTRA_CA_CERTS: certificate.caFile } : {},
    gateway,
    path,
    openPath,
    engine: (await gateway.health()).engine,
    command: async (...words) => {
      const headers = { Authorization: `Bearer ${gateway.token}`, Connection: "close" };
      const reply = await fetch(gateway.url, { method: "POST", headers, body: JSON.stringify(words) });
      const { result, error } = (await reply.json()) as { result?: unknown; error?: string };
      if (error !== undefined) throw new Error(error);
      return result;
    },
    close: async () => {
      await path.close();
      await gateway.stop();
      certificate?.remove();
    },
  };
}
