import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { makeCertificate, startNetworkProxy } from "warmline-testbed";
import { built, type Endpoint, type Place } from "../client/bench-client.js";
import { started } from "../rig/rig.js";
import type { Context } from "../scenario.js";
import { Child } from "../util/child.js";
import type { Job, JobResult } from "./jobs.js";

let chosenCores: readonly [client?: number, server?: number] | undefined;

/** Returns the cores for client and server. Returns none without taskset or a second core: then the system chooses. */
export function cores(): readonly [client?: number, server?: number] {
  if (!chosenCores) {
    const { status } = spawnSync("taskset", ["-c", "0,1", "true"]);
    chosenCores = status === 0 && availableParallelism() > 1 ? [0, 1] : [];
  }
  return chosenCores;
}

/** Returns the command that runs a program of this package, on a given core or on any. */
export const commandFor = (core: number | undefined, program: string, ...args: string[]): string[] => [
  ...(core === undefined ? [] : ["taskset", "-c", String(core)]),
  ...[process.execPath, built(program), ...args],
];

const TOKEN = "a-token-of-about-the-usual-length-0123456789abcdef";

/** Starts a process that sends fixed replies over HTTP and RESP, and records whether server and clients have cores of their own. */
export async function startFixedServer({ defer, record }: Pick<Context, "defer" | "record">) {
  const [, core] = cores();
  const placement = core === undefined ? "anywhere" : "own cores";
  record({ engine: "fixed replies", rttMs: 0, placement, node: process.version });
  const { cert, key, caFile } = makeCertificate();
  const child = new Child(commandFor(core, "perf/fixed-server.js"));
  defer(() => child.end());
  const ports = await child.request<{ plain: number; tls: number }>({ cert, key });
  /** Returns the server's address for a round-trip time in ms: that of a proxy, or the server's own if it is 0. */
  return async (tls: boolean, rttMs: number): Promise<Place> => {
    let port = tls ? ports.tls : ports.plain;
    if (rttMs > 0) {
      const proxy = await started(startNetworkProxy({ to: { port }, rttMs, protocol: "raw" }), defer);
      port = proxy.port;
    }
    const url = `http${tls ? "s" : ""}://127.0.0.1:${port}`;
    const endpoint: Endpoint = { url, token: TOKEN, tcp: { port, tls } };
    return { endpoint, trust: { NODE_EXTRA_CA_CERTS: caFile } };
  };
}

/** Notes of all scenarios that measure clients against the server that sends fixed replies. */
export const FIXED_SERVER_NOTES: readonly string[] = [
  "A separate process sends fixed replies: over HTTP with the headers of warmline-gateway, over TCP as Redis does. It uses so little CPU time that the client determines the results.",
  "Compared clients run one after another in each round, in an order determined by the seed. With taskset and two cores, client and server have a core each.",
];

/** Starts a process with one client, and ends it after the run. Returns a function that runs a job in it. */
export async function startWorker(client: string, { endpoint, trust }: Place, defer: Context["defer"]) {
  const args = [client, JSON.stringify(endpoint)];
  const child = new Child(commandFor(cores()[0], "perf/worker.js", ...args), trust);
  defer(() => child.end());
  await child.request();
  return (job: Job) => child.request<JobResult>(job, "job");
}
