import { type ChildProcess, spawn } from "node:child_process";
import { win32 } from "node:path";
import { statusOf } from "./stop-signal.js";

/** Signals that are passed on to the command. */
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;
/** Signals that a terminal itself sends to the command, because the command is in the same foreground group. */
const FROM_TERMINAL: readonly string[] = ["SIGINT", "SIGQUIT", "SIGHUP"];

/**
 * Runs a command to its end, with this process's own input and output, and passes signals on to it that a terminal does not send to both.
 * @returns its exit status as a shell would report it: 128 and the signal's number when a signal
 * ended it, 127 when there is no such command, 126 when it cannot be run.
 */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  report: (message: string) => void,
): Promise<number> {
  const cannotRun = ({ code }: NodeJS.ErrnoException) => {
    const isMissing = code === "ENOENT";
    report(isMissing ? `there is no command '${program}'` : `'${program}' cannot be run (${code})`);
    return isMissing ? 127 : 126;
  };
  let child: ChildProcess;
  try {
    const options = { stdio: "inherit", env: environment } as const;
    // npm and its like are batch files on Windows, which only its shell can run.
    child =
      process.platform === "win32"
        ? spawn(windowsCommandLine(program, args), { ...options, shell: true })
        : spawn(program, args, options);
  } catch (error) {
    return cannotRun(error as NodeJS.ErrnoException);
  }
  const listeners = FORWARDED.map((signal) => {
    const forward = () => {
      if (!(process.stdin.isTTY && FROM_TERMINAL.includes(signal))) child.kill(signal);
    };
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  return new Promise<number>((resolve) => {
    // A command that runs, and may not be sent a signal, runs on.
    child.on("error", (error) => child.pid === undefined && resolve(cannotRun(error)));
    child.once("exit", (code, signal) => resolve(code ?? statusOf(signal ?? "SIGTERM")));
  }).finally(() => {
    for (const remove of listeners) remove();
  });
}

/**
 * Returns a line for the shell of Windows that runs the program with these arguments as they are. By the rule of the package
 * cross-spawn: in quotes for the program, and with `^` before every character that means something to the shell.
 * A batch file parses its arguments once more, so one with a quote may reach its program otherwise.
 */
export function windowsCommandLine(program: string, args: readonly string[]): string {
  const forShell = (word: string) => word.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
  // Backslashes count only before a quote.
  const quoted = (arg: string) => `"${arg.replace(/\\+(?="|$)/g, "$&$&").replaceAll('"', '\\"')}"`;
  return [forShell(win32.normalize(program)), ...args.map((arg) => forShell(quoted(arg)))].join(" ");
}
