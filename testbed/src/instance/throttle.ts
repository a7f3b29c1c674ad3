import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownCgroup, removeCgroup, until } from "./cgroup.js";

/** Lambda shares out the processor in periods of this length, in ms. */
const PERIOD_MS = 20;

/** Gives a process tree a share of a processor, from its first instruction on. */
export interface Throttle {
  /** How it is done: by a quota of the kernel, or by stopping and continuing the process. */
  readonly kind: "cgroup v2 quota" | "cgroup v1 quota" | "duty cycle";
  /** The command that runs another one under the throttle, with the same process id. */
  wrap(command: string, args: readonly string[]): [command: string, args: string[]];
  /** The process runs. */
  begin(pid: number): void;
  /** While the process is frozen it must be left alone. */
  pause(): void;
  resume(): void;
  /** Removes what was made; called once the process has ended. */
  remove(): Promise<void>;
}

let made = 0;

/**
 * Makes a throttle: a cgroup with a quota where this process may make one, else a duty cycle.
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
  const parent = ownCgroup(version, "cpu");
  if (!parent) return undefined;
  const folder = join(parent, `warmline-throttle-${process.pid}-${++made}`);
  const period = PERIOD_MS * 1_000;
  const most = String(Math.max(1_000, Math.round(share * period)));
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  try {
    if (version === "v2") writeFileSync(join(folder, "cpu.max"), `${most} ${period}`, { flag: "r+" });
    else {
      writeFileSync(join(folder, "cpu.cfs_period_us"), String(period), { flag: "r+" });
      writeFileSync(join(folder, "cpu.cfs_quota_us"), most, { flag: "r+" });
    }
  } catch {
    removeCgroup(folder);
    return undefined;
  }
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
 * The same without the kernel's help: the process is stopped once it has used its part of a period, and goes on with
 * the next one. Coarser, and what the process waits for while stopped comes late. Where the system does not say how long
 * it ran, all the time counts in which it might have.
 * @param ran how long the threads of a process have been running, in ms; undefined where the system does not say
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
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
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

/** How long the threads of a process have been running, in ms; undefined where the system does not say. */
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
