import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendSignal } from "../children.js";
import { until } from "../until.js";
import { createCgroup, removeCgroup } from "./cgroup.js";

/** Lambda's CPU quota period, in ms. */
const PERIOD_MS = 20;

/** Limits a process tree to a share of a processor, from its first instruction on. */
export interface Throttle {
  /** The method: a quota of the kernel, or stopping and continuing the process. */
  readonly kind: "cgroup v2 quota" | "cgroup v1 quota" | "duty cycle";
  /** Returns the command that runs another one under the throttle, with the same process id. */
  wrap(command: string, args: readonly string[]): [command: string, args: string[]];
  /** Called when the process has started. */
  begin(pid: number): void;
  /** Called before the process is frozen: the throttle sends it no signals until {@link Throttle.resume}. */
  pause(): void;
  resume(): void;
  /** Removes the cgroup or timer; called once the process has ended. */
  remove(): Promise<void>;
}

let created = 0;

/**
 * Creates a throttle: a cgroup with a quota if this process may create one, else a duty cycle.
 * @param share of one processor: 0.5 is half of one, 2 is two of them
 */
export function createThrottle(share: number, kind: "auto" | "duty cycle" = "auto"): Throttle {
  if (kind === "auto" && process.platform === "linux") {
    const throttle = quota(share, "v2") ?? quota(share, "v1");
    if (throttle) return throttle;
  }
  return dutyCycle(share);
}

function quota(share: number, version: "v1" | "v2"): Throttle | undefined {
  const period = PERIOD_MS * 1_000;
  const limit = String(Math.max(1_000, Math.round(share * period)));
  const folder = createCgroup(version, "cpu", `warmline-throttle-${process.pid}-${++created}`, (folder) => {
    const set = (file: string, value: string) => writeFileSync(join(folder, file), value, { flag: "r+" });
    if (version === "v2") set("cpu.max", `${limit} ${period}`);
    else {
      set("cpu.cfs_period_us", String(period));
      set("cpu.cfs_quota_us", limit);
    }
  });
  if (!folder) return undefined;
  // The shell enters the cgroup and then becomes the program.
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  return {
    kind: `cgroup ${version} quota`,
    wrap: (command, args) => ["/bin/sh", ["-c", enter, folder, command, ...args]],
    begin: () => {},
    pause: () => {},
    resume: () => {},
    remove: () => until(() => removeCgroup(folder), "The throttle's cgroup could not be removed"),
  };
}

/**
 * Creates a throttle without a quota of the kernel: the process is stopped once it has used its share of a period, and
 * continued in the next period. It is coarser, and events for a stopped process arrive late. If the system does not report
 * how long the process ran, all the time in which it was not stopped counts.
 * @param ran returns how long the threads of a process have run, in ms; undefined if the system does not report it
 */
export function dutyCycle(share: number, ran: (pid: number) => number | undefined = processorMs): Throttle {
  const budget = share * PERIOD_MS;
  let timer: NodeJS.Timeout | undefined;
  let pid = 0;
  let stopped = false;
  let paused = false;
  let credit = budget;
  let used = 0;
  let lookedAt = 0;
  let periodEnd = 0;

  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    sendSignal(pid, name);
    stopped = name === "SIGSTOP";
  };
  const look = () => {
    const now = performance.now();
    const before = used;
    used = ran(pid) ?? used + (stopped ? 0 : now - lookedAt);
    lookedAt = now;
    credit -= used - before;
    while (now >= periodEnd) {
      periodEnd += PERIOD_MS;
      credit = Math.min(budget, credit + budget);
    }
    if (paused) return;
    if (credit <= 0 && !stopped) signal("SIGSTOP");
    else if (credit > 0 && stopped) signal("SIGCONT");
  };
  return {
    kind: "duty cycle",
    wrap: (command, args) => [command, [...args]],
    begin: (child) => {
      pid = child;
      lookedAt = performance.now();
      periodEnd = lookedAt + PERIOD_MS;
      timer = setInterval(look, 1);
      timer.unref();
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
    },
    remove: async () => clearInterval(timer),
  };
}

/** Returns how long the threads of a process have run, in ms; undefined if the system does not report it. */
function processorMs(pid: number): number | undefined {
  try {
    const tasks = `/proc/${pid}/task`;
    let sum = 0;
    for (const task of readdirSync(tasks)) {
      sum += Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
    }
    return sum / 1e6;
  } catch {
    return undefined;
  }
}
