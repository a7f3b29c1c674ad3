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

/** The result of one load run. */
export interface LoadResult {
  readonly perSecond: number;
  /** In ms. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the server for one request, in microseconds; null where the system does not tell. */
  readonly cpuMicros: number | null;
}

/**
 * Drives a server with so many requests in flight, from a process of its own.
 * @param program the built `handlers/load.ts`
 * @throws when the server does not answer as it should
 */
export async function drive(
  program: string,
  target: Target,
  connections: number,
  measureMs: number,
): Promise<LoadResult> {
  const { port, request, pid } = target;
  const load = { port, request, connections, warmupMs: Math.min(1_000, measureMs / 2), measureMs };
  const child = spawn(process.execPath, [program, JSON.stringify(load)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let trouble = "";
  let before: number | null = null;
  child.stderr.on("data", (text) => {
    trouble += text;
  });
  let after: number | null = null;
  child.stdout.on("data", (text) => {
    if (out === "") before = cpuOf(pid);
    out += text;
    if (out.includes("{")) after = cpuOf(pid);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const line = out.split("\n").find((each) => each.startsWith("{"));
  if (code !== 0 || line === undefined)
    throw new Error(`The load generator failed: ${trouble.slice(0, 500)}`);
  const { answers, seconds, p50, p99 } = JSON.parse(line);
  const cpuMicros = before === null || after === null ? null : ((after - before) * 1_000) / answers;
  return { perSecond: answers / seconds, p50, p99, cpuMicros };
}

/** Processor time of a process so far, in ms. */
function cpuOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return null;
  }
}
