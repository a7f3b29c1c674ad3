import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { makeCertificate, type NetworkProxy, startNetworkProxy } from "warmline-testbed";
import type { Endpoint } from "../bench-client.js";
import { Child } from "../child.js";
import { built } from "./built.js";
import type { Node } from "./nodes.js";
import type { Job, JobResult } from "./worker/jobs.js";

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
  const file = fileURLToPath(built(program));
  return [...(core === undefined ? [] : ["taskset", "-c", String(core)]), node.path, file, ...args];
}

const CLIENT_CORE = 0;
const SERVER_CORES: Record<Placement, number | undefined> = {
  "same core": 0,
  "own cores": 1,
  anywhere: undefined,
};

export const clientCore = (placement: Placement) => (placement === "anywhere" ? undefined : CLIENT_CORE);

/** A server of fixed replies, in a process of its own. */
export interface FixedServer {
  readonly ports: { readonly plain: number; readonly tls: number };
  /** Where clients find it. `as`: the gateway that it poses as, or an endpoint that knows nothing of ours. */
  endpoint(options?: { tls?: boolean; as?: "gateway" | "plain" }): Endpoint;
  /** Environment variables that make a process trust its certificate. */
  readonly trust: Readonly<Record<string, string>>;
  /** Where clients find it, with TLS, over a path with a round-trip time. */
  distant(rttMs: number): Promise<{ endpoint: Endpoint; proxy: NetworkProxy }>;
  stop(): void;
}

const TOKEN = "a-token-of-about-the-usual-length-0123456789abcdef";

/** Starts one under this process's own Node, whatever the clients run under. */
export async function startFixedServer(placement: Placement): Promise<FixedServer> {
  const own = { path: process.execPath, version: process.version };
  const certificate = makeCertificate();
  const child = await Child.start(commandFor(own, SERVER_CORES[placement], "perf/server/server.js"));
  const ports = await child.request<FixedServer["ports"]>({ cert: certificate.cert, key: certificate.key });
  return {
    ports,
    endpoint: ({ tls = false, as = "gateway" } = {}) => ({
      url: `http${tls ? "s" : ""}://127.0.0.1:${tls ? ports.tls : ports.plain}${as === "plain" ? "/plain" : ""}`,
      token: TOKEN,
    }),
    trust: { NODE_EXTRA_CA_CERTS: certificate.caFile },
    distant: async (rttMs) => {
      const proxy = await startNetworkProxy({ to: { port: ports.tls }, rttMs });
      return { endpoint: { url: proxy.url.replace("http:", "https:"), token: TOKEN }, proxy };
    },
    stop: () => {
      child.stop();
      certificate.remove();
    },
  };
}

/** A process with one client in it, ready to work. */
export interface Worker {
  run(job: Job): Promise<JobResult>;
  stop(): void;
}

export async function startWorker(
  client: string,
  {
    node,
    placement,
    endpoint,
    trust,
  }: { node: Node; placement: Placement; endpoint: Endpoint; trust: FixedServer["trust"] },
): Promise<Worker> {
  const child = await Child.start(
    commandFor(node, clientCore(placement), "perf/worker/worker.js", client),
    trust,
  );
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
