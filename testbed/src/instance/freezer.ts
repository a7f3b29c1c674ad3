import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sendSignal } from "../children.js";
import { until } from "../until.js";
import { createCgroup, removeCgroup } from "./cgroup.js";

/**
 * Stops a process until it is thawed. A cgroup also stops the children that it starts after the freezer was created. The kernel
 * still serves the sockets of a stopped process.
 */
export interface Freezer {
  /** The mechanism. A process cannot detect a cgroup freeze, which stops every thread at once. It can detect SIGCONT. */
  readonly kind: "cgroup v2" | "cgroup v1" | "signals";
  /** Returns once every thread has stopped. */
  freeze(): Promise<void>;
  /** Returns once the process may run again. */
  thaw(): Promise<void>;
  /** Lets the process run without waiting for it, so that it can be killed. Call {@link Freezer.remove} once it has ended. */
  release(): void;
  /** Removes the cgroup. */
  remove(): Promise<void>;
}

/** Creates a freezer for a process: a cgroup if this process may create one, else SIGSTOP and SIGCONT. */
export function createFreezer(pid: number, kind: "auto" | "signals" = "auto"): Freezer {
  if (kind === "auto" && process.platform === "linux") {
    const freezer = cgroupFreezer(pid, "v2") ?? cgroupFreezer(pid, "v1");
    if (freezer) return freezer;
  }
  return signalFreezer(pid);
}

const FILES = {
  v2: { control: "cgroup.freeze", frozen: "1", thawed: "0", state: "cgroup.events", isFrozen: /^frozen 1$/m },
  v1: {
    control: "freezer.state",
    frozen: "FROZEN",
    thawed: "THAWED",
    state: "freezer.state",
    isFrozen: /^FROZEN$/m,
  },
} as const;

function cgroupFreezer(pid: number, version: "v1" | "v2"): Freezer | undefined {
  const files = FILES[version];
  const folder = createCgroup(version, "freezer", `warmline-instance-${pid}`, (folder) => {
    writeFileSync(join(folder, "cgroup.procs"), String(pid));
    writeFileSync(join(folder, files.control), files.thawed);
  });
  if (!folder) return undefined;
  const set = (value: string) => writeFileSync(join(folder, files.control), value);
  const isFrozen = () => files.isFrozen.test(readFileSync(join(folder, files.state), "utf8"));
  return {
    kind: `cgroup ${version}`,
    freeze: async () => {
      set(files.frozen);
      await until(isFrozen, "The process could not be frozen");
    },
    thaw: async () => {
      set(files.thawed);
      await until(() => !isFrozen(), "The process could not be thawed");
    },
    release: () => set(files.thawed),
    remove: () => until(() => removeCgroup(folder), "The freezer's cgroup could not be removed"),
  };
}

function signalFreezer(pid: number): Freezer {
  return {
    kind: "signals",
    freeze: async () => {
      sendSignal(pid, "SIGSTOP");
      if (process.platform === "linux") await until(() => isStopped(pid), "The process could not be stopped");
      // Only Linux has /proc.
      else await pause(20);
    },
    thaw: async () => sendSignal(pid, "SIGCONT"),
    release: () => sendSignal(pid, "SIGCONT"),
    remove: async () => {},
  };
}

/** Whether a process is stopped or has ended. */
function isStopped(pid: number): boolean {
  try {
    // The state is the first word after the name in parentheses. The name may contain parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return "TtXZ".includes(stat[stat.lastIndexOf(")") + 2]!);
  } catch {
    return true;
  }
}
