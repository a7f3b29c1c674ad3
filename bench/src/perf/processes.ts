import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { makeCertificate, type NetworkProxy, startNetworkProxy } from "warmline-testbed";
import { built, type ConnectOptions, type Endpoint } from "../client/bench-client.js";
import { Child } from "../util/child.js";
import type { Job, JobResult } from "./jobs.js";
import { type Node, OWN_NODE } from "./nodes.js";

/** Which cores client and server run on: the same, one each, or wherever the system puts them. */
export type Placement = "same core" | "own cores" | "anywhere";

/** The placements that this machine can do. Without taskset (or a second core) the system decides. */
export function placements(): readonly Placement[] {
  try {
    execFileSync("taskset", ["-c", "0,1", "true"], { stdio: "ignore" });
  } catch {
    return ["anywhere"];
  }
  return availableParallelism() < 2 ? ["anywhere"] : ["own cores", "same core"];
}

/** The command that runs a program of this package, on one core where that is asked for. */
export function commandFor(
  node: Node,
  core: number | undefined,
  program: string,
  ...args: string[]
): string[] {
  const file = built(program);
  return [...(core === undefined ? [] : ["taskset", "-c", String(core)]), node.path, file, ...args];
}

const SERVER_CORES: Record<Placement, number | undefined> = {
  "same core": 0,
  "own cores": 1,
  anywhere: undefined,
};

export const clientCore = (placement: Placement) => (placement === "anywhere" ? undefined : 0);

/** A server of fixed replies, in a process of its own. It serves HTTP and RESP on the same ports. */
export interface FixedServer {
  /** Returns where clients find it, over a round trip in ms; 0 is loopback. */
  endpoint(options?: { tls?: boolean; rttMs?: number }): Promise<Endpoint>;
  /** Environment variables that make a process trust its certificate. */
  readonly trust: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const TOKEN = "a-token-of-about-the-usual-length-0123456789abcdef";

/** Starts one under this process's own Node, whatever the clients run under. */
export async function startFixedServer(placement: Placement): Promise<FixedServer> {
  const certificate = makeCertificate();
  const child = await Child.start(commandFor(OWN_NODE, SERVER_CORES[placement], "perf/server/server.js"));
  const ports = await child.request<{ plain: number; tls: number }>({
    cert: certificate.cert,
    key: certificate.key,
  });
  const proxies: NetworkProxy[] = [];
  return {
    endpoint: async ({ tls = false, rttMs = 0 } = {}) => {
      let port = tls ? ports.tls : ports.plain;
      if (rttMs > 0) {
        const proxy = await startNetworkProxy({ to: { port }, rttMs, protocol: "raw" });
        proxies.push(proxy);
        port = proxy.port;
      }
      return { url: `http${tls ? "s" : ""}://127.0.0.1:${port}`, token: TOKEN, tcp: { port, tls } };
    },
    trust: { NODE_EXTRA_CA_CERTS: certificate.caFile },
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      child.stop();
      certificate.remove();
    },
  };
}

/** The needs of a process of a client: its Node, its place and the way to the server. */
export interface Place extends Pick<FixedServer, "trust"> {
  readonly node: Node;
  readonly placement: Placement;
  readonly endpoint: Endpoint & Pick<ConnectOptions, "autoPipelining">;
}

/** A process with one client in it, ready to work. */
export interface Worker {
  run(job: Job): Promise<JobResult>;
  stop(): void;
}

export async function startWorker(
  client: string,
  { node, placement, endpoint, trust }: Place,
): Promise<Worker> {
  const child = await Child.start(commandFor(node, clientCore(placement), "perf/worker.js", client), trust);
  try {
    await child.request();
    await child.request({ endpoint });
  } catch (error) {
    child.stop();
    throw error;
  }
  return {
    run: async (job) => (await child.request<{ took: JobResult }>({ job })).took,
    stop: () => child.stop(),
  };
}
