import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BenchClient, built, type Place } from "../client/bench-client.js";
import { commandFor, cores } from "./processes.js";

export interface ColdWay {
  readonly name: string;
  /** Import and command at once; or the client created in an init phase; or that and an awaited PING. */
  readonly phase: "at once" | "init" | "ping";
  /** Time between the init phase and the event in ms. */
  readonly gapMs: number;
}

const bundleOf = (client: string): string => built(`perf/bundles/${client}.js`);

type ColdStart = Readonly<Record<"importMs" | "cpuMs" | "totalMs" | "init" | "first" | "warmMs", number>>;

/**
 * Starts a fresh process with one client, as a single minified file.
 * @returns times in ms: of the import; of the processor, from the import to the end; of import and first command without the gap; of the
 * init phase, the first command in the handler, and the median of later ones, all three NaN without an init phase
 */
export async function coldStart(
  client: BenchClient,
  way: ColdWay,
  { endpoint, trust }: Place,
): Promise<ColdStart> {
  const args = [bundleOf(client.name), JSON.stringify(endpoint), way.phase, String(way.gapMs)];
  const [program, ...rest] = commandFor(cores()[0], "perf/cold-start.js", ...args);
  // With Lambda's variable set a client that connects in the init phase does so here.
  const lambda = way.phase === "at once" ? {} : { AWS_LAMBDA_FUNCTION_NAME: "bench" };
  const { stdout } = await promisify(execFile)(program!, rest, {
    env: { ...process.env, ...trust, ...lambda },
    timeout: 20_000,
  });
  return { init: Number.NaN, first: Number.NaN, warmMs: Number.NaN, ...JSON.parse(stdout) };
}

/** Returns the size of a client's bundle in bytes: the client and the lines that use it here, minified. */
export function bundleSize(client: string): { readonly minified: number; readonly gzipped: number } {
  const bundle = readFileSync(bundleOf(client));
  return { minified: bundle.length, gzipped: gzipSync(bundle, { level: 9 }).length };
}
