import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findServer } from "../../../gateway/src/engine/native/find-server.js";

/** The server that suites on a real Redis use; undefined when there is none and none is required. */
export const redisServer = findServer();
if (redisServer === undefined && process.env.REQUIRE_REDIS === "1") {
  throw new Error("REQUIRE_REDIS=1, but there is neither redis-server nor valkey-server on PATH");
}

/** A Redis of the test's own, on a UNIX socket. */
export interface RedisProcess {
  readonly url: string;
  readonly socket: string;
  /** Sends one command and returns the reply's text, headers and all. */
  ask(...words: string[]): Promise<string>;
  /** Kills the server at once. */
  kill(): Promise<void>;
  /** Starts it again on the same socket, empty. */
  start(): Promise<void>;
  /** Kills it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a Redis; `args` are further settings. */
export async function startRedis(...args: string[]): Promise<RedisProcess> {
  const dir = mkdtempSync(join(tmpdir(), "warmline-gateway-test-"));
  const socket = join(dir, "redis.sock");
  const settings = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--dir",
    dir,
    "--save",
    "",
    "--appendonly",
    "no",
    ...args,
  ];
  let child: ReturnType<typeof spawn> | undefined;

  const ask = (...words: string[]) =>
    new Promise<string>((resolve, reject) => {
      const connection = createConnection(socket);
      let text = "";
      connection.on("error", reject);
      connection.on("data", (chunk) => {
        text += chunk.toString();
        // One command was sent: the reply is whole once the server has nothing more to say for a moment.
        setTimeout(() => connection.end(), 20);
      });
      connection.on("close", () => resolve(text));
      const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
      connection.write(`*${words.length}\r\n${parts.join("")}`);
    });

  const start = async () => {
    child = spawn(redisServer!, settings, { stdio: "ignore" });
    for (let tries = 0; ; tries++) {
      const up = await ask("PING").catch(() => "");
      if (up.startsWith("+PONG") || up.startsWith("-NOAUTH")) return;
      if (tries > 200) throw new Error("the Redis of the test did not start");
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  await start();
  return {
    url: `unix://${socket}`,
    socket,
    ask,
    kill,
    start,
    async stop() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
