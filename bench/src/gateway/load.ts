import { readFileSync } from "node:fs";
import { handlerPath } from "../client/bench-client.js";
import type { LoadWork } from "../handlers/load.js";
import { Child } from "../util/child.js";

/** The kernel's unit for processor time, in ms. */
const TICK = 10;

export interface Target extends Pick<LoadWork, "port" | "request"> {
  /** The server's process, whose processor time is read. */
  readonly pid: number;
}

/** How requests come: on so many connections, each after the last one's response or, with a rate per second, at fixed times. */
export type Load = Pick<LoadWork, "connections" | "rate">;

/**
 * Runs load on a server from a separate process.
 * @returns responses per second, latencies in ms (NaN without a rate), the server's processor time for one request in microseconds (NaN
 * if the system does not report it), and the number of requests to which it responded twice at once
 */
export async function drive({ port, request, pid }: Target, load: Load, measureMs: number) {
  const work: LoadWork = { ...load, port, request, warmupMs: Math.min(1_000, measureMs / 2), measureMs };
  const child = new Child([process.execPath, handlerPath("load"), JSON.stringify(work)]);
  try {
    await child.request();
    const before = cpuOf(pid);
    const result = await child.request<Record<"responses" | "surplus" | "seconds" | "p50" | "p99", number>>();
    const { responses, surplus, seconds, p50, p99 } = result;
    const cpuMicros = ((cpuOf(pid) - before) * 1_000) / responses;
    return { perSecond: responses / seconds, p50, p99, cpuMicros, surplus };
  } finally {
    await child.end();
  }
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
