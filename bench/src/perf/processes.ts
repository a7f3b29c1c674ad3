import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { makeCertificate, type NetworkProxy, startNetworkProxy } from "warmline-testbed";
import { built, type ConnectOptions, type Endpoint } from "../client/bench-client.js";
import type { Context } from "../scenario.js";
import { Child } from "../util/child.js";
import type { Job, JobResult } from "./jobs.js";

let found: readonly [client?: number, server?: number] | undefined;

/** Returns the cores of a client and of the server; undefined if the system places them. */
export function cores(): readonly [client?: number, server?: number] {
  found ??= hasCores() ? [0, 1] : [];
  return found;
}

/** Whether client and server can have a core each: with taskset and a second core. */
function hasCores(): boolean {
  try {
    execFileSync("taskset", ["-c", "0,1", "true"], { stdio: "ignore" });
    return availableParallelism() > 1;
  } catch {
    return false;
  }
}

/** The command that runs a program of this package, on one core if it is given. */
export const commandFor = (core: number | undefined, program: string, ...args: string[]): string[] => [
  ...(core === undefined ? [] : ["taskset", "-c", String(core)]),
  ...[process.execPath, built(program), ...args],
];

/** A server of fixed replies, in a process of its own. It serves HTTP and RESP on the same ports. */
export interface FixedServer {
  /** Returns where clients find it, over a round trip in ms; 0 is loopback. */
  endpoint(options?: { tls?: boolean; rttMs?: number }): Promise<Endpoint>;
  /** Environment variables that make a process trust its certificate. */
  readonly trust: Readonly<Record<string, string>>;
}

const TOKEN = "a-token-of-about-the-usual-length-0123456789abcdef";

/** Starts a server of fixed replies that stops with the run, and records where it and the clients run. */
export async function startFixedServer({ defer, record }: Context): Promise<FixedServer> {
  const [, core] = cores();
  const placement = core === undefined ? "anywhere" : "own cores";
  record({ engine: "fixed replies", rttMs: 0, placement, node: process.version });
  const certificate = makeCertificate();
  const child = await Child.start(commandFor(core, "perf/server/server.js"));
  const { cert, key, caFile } = certificate;
  const ports = await child.request<{ plain: number; tls: number }>({ cert, key });
  const proxies: NetworkProxy[] = [];
  defer(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    child.stop();
    certificate.remove();
  });
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
    trust: { NODE_EXTRA_CA_CERTS: caFile },
  };
}

/** Notes of all scenarios that measure clients against the server of fixed replies. */
export const FIXED_SERVER_NOTES: readonly string[] = [
  "The server sends fixed replies, over HTTP with the headers of warmline-gateway and over TCP those of Redis, from a separate process. It uses so little CPU time that the client determines the results.",
  "Compared clients run one after another in each round, in an order determined by the seed. With taskset and two cores, client and server have a core each.",
];

/** The way to the server of a client's process. */
export interface Place extends Pick<FixedServer, "trust"> {
  readonly endpoint: Endpoint & Pick<ConnectOptions, "autoPipelining">;
}

/** A process with one client in it, ready to work. */
export interface Worker {
  run(job: Job): Promise<JobResult>;
  stop(): void;
}

export async function startWorker(client: string, { endpoint, trust }: Place): Promise<Worker> {
  const child = await Child.start(commandFor(cores()[0], "perf/worker.js", client), trust);
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
