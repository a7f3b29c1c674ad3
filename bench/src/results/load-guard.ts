import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** The part of the machine that other processes and the hypervisor used. */
export interface Load {
  /** The share of all cores in use before the run, from 0 to 1. */
  readonly before: number;
  /** The share that others used during the run; null if the system does not report it. */
  readonly others: number | null;
  /** Why the numbers are not to be trusted; absent on an idle machine. */
  readonly warning?: string;
}

/** A share above this one warns. */
const MAX_SHARE = 0.1;
const SAMPLE_MS = 500;

/** Measures the load of the machine for half a second. Returns a function for the end of the run, which returns the load. */
export async function watchLoad(): Promise<() => Load> {
  const first = ticks();
  await pause(SAMPLE_MS);
  const begun = ticks();
  const used =
    first && begun ? share(begun.busy - first.busy, begun.all - first.all) : loadavg()[0]! / cpus().length;
  const before = round(used);
  return () => {
    const now = ticks();
    const others =
      begun && now ? round(share(now.busy - begun.busy - (now.own - begun.own), now.all - begun.all)) : null;
    const warning = warningOf(before, others);
    return { before, others, ...(warning !== undefined && { warning }) };
  };
}

/** Returns the warning for a busy machine; undefined on an idle one. */
export function warningOf(before: number, others: number | null): string | undefined {
  const said = (used: number, when: string) =>
    used > MAX_SHARE ? [`${Math.round(used * 100)}% ${when}`] : [];
  const parts = [...said(before, "before the run"), ...said(others ?? 0, "during it")];
  if (parts.length === 0) return undefined;
  return `The machine was busy: other processes used ${parts.join(" and ")}. Repeat the run on an idle machine.`;
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const round = (value: number): number => Math.round(Math.max(0, value) * 1_000) / 1_000;

/** Clock ticks of all cores since boot (proc(5)): all, those in use or stolen, those of this process and its ended children. */
function ticks(): { readonly all: number; readonly busy: number; readonly own: number } | undefined {
  try {
    const numbers = readFileSync("/proc/stat", "utf8").split("\n")[0]!.split(/\s+/).slice(1, 9).map(Number);
    const [, , , idle, iowait] = numbers;
    const all = numbers.reduce((sum, each) => sum + each, 0);
    const [, fields] = readFileSync("/proc/self/stat", "utf8").split(") ");
    const own = fields!.split(" ").slice(11, 15).map(Number);
    return { all, busy: all - idle! - iowait!, own: own.reduce((sum, each) => sum + each, 0) };
  } catch {
    return undefined;
  }
}
