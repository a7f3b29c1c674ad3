import { execFile, execFileSync } from "node:child_process";

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

/** Runs a program of Node in a network of its own. Returns its JSON output. @throws if it fails */
export function runInNamespace<T>(program: string, work: unknown): Promise<T> {
  const args = [...UNSHARE, ...UP, process.execPath, program, JSON.stringify(work)];
  return new Promise((resolve, reject) => {
    execFile("unshare", args, (error, stdout, stderr) => {
      if (error) reject(new Error(`The process in a network namespace failed: ${stderr.slice(0, 500)}`));
      else resolve(JSON.parse(stdout));
    });
  });
}
