import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { endWithUs } from "../children.js";
import { Tail } from "../tail.js";
import { connectRedis, type RedisConnection } from "./connection.js";
import { findRedisServer, NO_REDIS } from "./find.js";

/** A Redis server process of ours. */
export interface RedisProcess {
  readonly pid: number;
  /** A connection that is open as long as the server runs. */
  readonly connection: RedisConnection;
  /** What it printed, at most the last 64 KB. */
  readonly output: string;
  /** Ends it at once (SIGKILL), as a machine that dies; returns when it is gone. */
  kill(): Promise<void>;
}

/**
 * The server runs under a shell. Its standard input ends when this process does, in whatever way: a watcher then kills
 * the server. The shell ends with the server.
 */
const LEASH = `
exec 3<&0
"$@" </dev/null 3<&- & pid=$!
echo "pid $pid"
{ read -r _ <&3; kill -9 "$pid"; } 2>/dev/null & watcher=$!
exec 3<&-
wait "$pid" 2>/dev/null
kill -9 "$watcher"
`;

/**
 * Starts `redis-server` (or `valkey-server`) with the given flags and waits until it answers.
 * @param to where its flags make it listen
 * @throws if there is none on PATH or it does not start; the message ends with what it printed
 */
export async function runRedis(
  flags: readonly string[],
  to: { port: number } | { path: string },
): Promise<RedisProcess> {
  const server = findRedisServer();
  if (!server) throw new Error(`Starting a Redis ${NO_REDIS}.`);
  const shell = spawn("/bin/sh", ["-c", LEASH, "sh", server, ...flags], { stdio: ["pipe", "pipe", "pipe"] });
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
  // On a write after the shell has ended there is nothing to do.
  shell.stdin.on("error", () => {});

  let pid = 0;
  const kill = async () => {
    keep();
    shell.stdin.end();
    await exited;
  };
  const keep = endWithUs(() => {
    try {
      if (pid) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  });

  const end = performance.now() + 10_000;
  for (;;) {
    pid ||= Number(/^pid (\d+)$/m.exec(tail.text)?.[1] ?? 0);
    const connection = pid ? await connectRedis(to).catch(() => undefined) : undefined;
    if (connection && (await connection.command("PING").catch(() => undefined)) === "PONG") {
      return {
        pid,
        connection,
        get output() {
          return tail.text;
        },
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
