import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { Tail } from "../tail.js";
import { until } from "../until.js";
import { connectRedis, type RedisConnection } from "./connection.js";
import { findRedisServer, NO_REDIS } from "./find.js";

/** A Redis server process of the testbed. */
export interface RedisProcess {
  readonly pid: number;
  readonly alive: boolean;
  /** Sends a command on one connection, which stays open. @throws RespError on an error reply */
  command: RedisConnection["command"];
  /** Kills the server (SIGKILL), as if its machine died, and keeps its folder and address. Returns when it has ended. */
  kill(): Promise<void>;
  /** Starts it again at the same address, with the files of its folder. */
  restart(): Promise<void>;
}

/** The input that makes {@link LEASH} end the server without removing its folder. */
const KEEP = "keep\n";

/**
 * The server runs under a shell. The shell's standard input ends when this process ends, even by SIGKILL. A watcher then kills the
 * server and removes the folder. The shell ends with the server.
 */
const LEASH = `
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- & pid=$!
echo "pid $pid"
{
  word=; read -r word <&3
  trap "" TERM
  kill -9 "$pid"
  [ "$word" = keep ] || rm -rf "$folder"
} 2>/dev/null & watcher=$!
exec 3<&-
wait "$pid" 2>/dev/null
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
`;

/**
 * Starts `redis-server` (or `valkey-server`) with the given flags and waits until it replies.
 * @param to the address of the server according to the flags
 * @param folder removed when this process ends without ending the server first
 * @param server the path of the program. Default: the one on PATH
 * @throws if there is no server on PATH or it does not start; the message ends with its output
 */
export async function runRedis(
  flags: readonly string[],
  to: { port: number } | { path: string },
  folder: string,
  server = findRedisServer(),
): Promise<RedisProcess> {
  if (!server) throw new Error(`Starting a Redis ${NO_REDIS}.`);
  const start = () => startProcess(server, flags, to, folder);
  let running = await start();
  let alive = true;
  return {
    get pid() {
      return running.pid;
    },
    get alive() {
      return alive;
    },
    command: (...args) => running.connection.command(...args),
    kill: async () => {
      alive = false;
      await running.kill();
    },
    restart: async () => {
      running = await start();
      alive = true;
    },
  };
}

async function startProcess(
  server: string,
  flags: readonly string[],
  to: { port: number } | { path: string },
  folder: string,
) {
  const shell = spawn("/bin/sh", ["-c", LEASH, "sh", folder, server, ...flags], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const tail = new Tail();
  tail.follow(shell.stdout);
  tail.follow(shell.stderr);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    shell.once("close", () => {
      ended = true;
      resolve();
    });
  });
  // A write after the shell has ended is no problem.
  shell.stdin.on("error", () => {});

  let pid = 0;
  const kill = async () => {
    shell.stdin.end(KEEP);
    await exited;
  };

  const end = performance.now() + 30_000;
  for (;;) {
    pid ||= Number(/^pid (\d+)$/m.exec(tail.text)?.[1] ?? 0);
    const connection = pid ? await connectRedis(to).catch(() => undefined) : undefined;
    if (connection && (await connection.command("PING").catch(() => undefined)) === "PONG") {
      return {
        pid,
        connection,
        kill: async () => {
          connection.close();
          await kill();
        },
      };
    }
    connection?.close();
    if (performance.now() > end || ended) {
      await kill();
      throw new Error(`${server} did not start:\n${tail.text}`);
    }
    await pause(10);
  }
}

/** Waits until a check of several servers returns true. @throws after 50 seconds */
export const untilTogether = (check: () => Promise<boolean | undefined>): Promise<void> =>
  until(check, "The servers did not come together within 50 seconds.", { timeoutMs: 50_000, pauseMs: 50 });
