import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** For child processes: the kind of connections to test, as in `WARMLINE_CONNECTION`. */
export const chosenConnection: Record<string, string> = process.env.WARMLINE_CONNECTION
  ? { WARMLINE_CONNECTION: process.env.WARMLINE_CONNECTION }
  : {};

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Runs an ES module in a separate process, where `warmline` can be imported, until it ends by itself.
 * @param source prints the values that the test checks
 * @param onStart gets the process, which may be killed.
 */
export function runProgram(
  source: string,
  env: Record<string, string>,
  onStart?: (child: ChildProcess) => void,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...chosenConnection, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onStart?.(child);
    const limit = setTimeout(() => child.kill("SIGKILL"), 20_000);
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      errors += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve({ code, output: output.trim(), errors });
    });
  });
}
