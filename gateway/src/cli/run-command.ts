import { spawn } from "node:child_process";
import { statusOf } from "./stop-signal.js";

/** Signals that are passed on to the command. */
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;
/** Signals that a terminal itself sends to the command, because the command is in the same foreground group. */
const FROM_TERMINAL: readonly string[] = ["SIGINT", "SIGQUIT", "SIGHUP"];

/**
 * Runs a command to its end, with this process's own input and output, and passes signals on to it.
 * @returns its exit status as a shell would report it: 128 and the signal's number when a signal
 * ended it, 127 when there is no such command, 126 when it cannot be run.
 */
export function runCommand(
  [program = "", ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  report: (message: string) => void,
): Promise<number> {
  const child = spawn(program, args, {
    stdio: "inherit",
    env: environment,
    // npm and its like are batch files on Windows, which only its shell can run.
    shell: process.platform === "win32",
  });
  const listeners = FORWARDED.map((signal) => {
    const forward = () => {
      if (!(process.stdin.isTTY && FROM_TERMINAL.includes(signal))) child.kill(signal);
    };
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  return new Promise<number>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      report(
        error.code === "ENOENT"
          ? `there is no command '${program}'`
          : `'${program}' cannot be run (${error.code})`,
      );
      resolve(error.code === "ENOENT" ? 127 : 126);
    });
    child.once("exit", (code, signal) => resolve(code ?? statusOf(signal ?? "SIGTERM")));
  }).finally(() => {
    for (const remove of listeners) remove();
  });
}
