import { execFile, execFileSync } from "node:child_process";
import { basename } from "node:path";

/** The flags of `unshare` that give a process a network of its own, and root rights in it. */
const UNSHARE = ["--net", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
/** Switches the loopback interface on, and runs the rest of the command line. */
const UP = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** Returns why no network namespace can be had here, as "needs ..."; undefined if one can. */
export function namespaceMissing(): string | undefined {
  try {
    const write = "cat /proc/sys/net/ipv4/tcp_tw_reuse > /proc/sys/net/ipv4/tcp_tw_reuse";
    execFileSync("unshare", [...UNSHARE, ...UP, "sh", "-c", write], { stdio: "ignore" });
    return undefined;
  } catch {
    return "needs a network namespace: Linux with unshare and ip, as root or with user namespaces";
  }
}

const LIMIT_MS = 10 * 60_000;

/** Runs a program of Node in a network of its own, for at most `limitMs`. Returns its JSON output. */
export function runInNamespace<T>(program: string, work: unknown, limitMs = LIMIT_MS): Promise<T> {
  const args = [...UNSHARE, ...UP, process.execPath, program, JSON.stringify(work)];
  return new Promise((resolve, reject) => {
    const limit = { timeout: limitMs, killSignal: "SIGKILL" } as const;
    execFile("unshare", args, limit, (error, stdout, stderr) => {
      const name = `The process ${basename(program)} in a network namespace`;
      if (error?.killed) reject(new Error(`${name} took longer than ${limitMs / 1_000} s.`));
      else if (error) reject(new Error(`${name} failed: ${stderr.slice(0, 500)}`));
      else resolve(JSON.parse(stdout));
    });
  });
}
