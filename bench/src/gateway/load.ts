import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** The kernel's unit for processor time, in ms. */
const TICK = 10;

/** The measured server and the request that is sent to it. */
export interface Target {
  readonly port: number;
  /** The server's process, whose processor time is read. */
  readonly pid: number;
  readonly request: string;
}

/** How requests come: on so many connections, each after the last one's response or, with a rate per second, at fixed times. */
export interface Load {
  readonly connections: number;
  readonly rate?: number | undefined;
}

/** The result of one load run. */
export interface LoadResult {
  readonly perSecond: number;
  /** In ms, from the time at which a request was due; NaN without a rate. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the server for one request, in microseconds; NaN if the system does not report it. */
  readonly cpuMicros: number;
  /** Requests to which the server responded twice at once. A second response that comes later is taken for that of the next request. */
  readonly surplus: number;
}

/**
 * Runs load on a server from a separate process.
 * @param program the built `handlers/load.ts`
 * @throws if the server responds with an error
 */
export async function drive(
  program: string,
  target: Target,
  given: Load,
  measureMs: number,
): Promise<LoadResult> {
  const { port, request, pid } = target;
  const load = { ...given, port, request, warmupMs: Math.min(1_000, measureMs / 2), measureMs };
  const child = spawn(process.execPath, [program, JSON.stringify(load)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  let [before, after] = [Number.NaN, Number.NaN];
  child.stdout.on("data", (text) => {
    if (out === "") before = cpuOf(pid);
    out += text;
    if (out.includes("{")) after = cpuOf(pid);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const line = out.split("\n").find((each) => each.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(`The load generator failed: ${stderr.slice(0, 500)}`);
  const { responses, surplus, seconds, p50, p99 } = JSON.parse(line);
  const cpuMicros = ((after - before) * 1_000) / responses;
  const latencies = given.rate === undefined ? { p50: Number.NaN, p99: Number.NaN } : { p50, p99 };
  return { perSecond: responses / seconds, ...latencies, cpuMicros, surplus };
}

/** Processor time of a process so far, in ms; NaN if the system does not report it. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return Number.NaN;
  }
}
