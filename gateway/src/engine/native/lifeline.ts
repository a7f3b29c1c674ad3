import { type ChildProcess, spawn } from "node:child_process";

/**
 * Runs a program that must not outlive this process, however this process ends. A process that is killed outright cannot clean up,
 * so a small shell does it. It waits on its own standard input, a pipe whose other end only this process holds: when that end closes,
 * the shell ends the program. When the program has ended, the shell removes its folder and exits with its status. Both run in a session
 * of their own, so that Ctrl-C in a terminal reaches this process first and not its Redis.
 */
const SCRIPT = `
PATH=$PATH:/usr/bin:/bin
folder=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
# The shell's own output must not fail it once its reader is gone.
exec >/dev/null 2>&1
( while read -r _ <&3; do :; done; kill -KILL "$program" ) &
watcher=$!
wait "$program"
status=$?
kill "$watcher"
rm -rf -- "$folder"
exit "$status"
`;

/**
 * Starts a program on such a lifeline; its output comes by the pipes of the process returned. End the
 * `stdin` of that process to end the program; `exit` comes once the folder is gone.
 */
export function spawnOnLifeline(program: string, args: readonly string[], folder: string): ChildProcess {
  return spawn("/bin/sh", ["-c", SCRIPT, "warmline-lifeline", folder, program, ...args], {
    cwd: folder,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
}
