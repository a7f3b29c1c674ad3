import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect, type OnReadOpts, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine.js";
import { explainMissing } from "../missing-commands.js";
import { spawnOnLifeline } from "./lifeline.js";

const INITIAL_BACKOFF = 100;
const MAX_BACKOFF = 10_000;
/** The backoff starts anew after a server that ran this long, in ms. */
const MIN_STABLE_TIME = 30_000;

/** Timeout in ms for the first reply of a server that has data to load. */
const LOAD_TIMEOUT = 600_000;
/** Timeout in ms for a server to write its data at the end. */
const SHUTDOWN_TIMEOUT = 10_000;

export interface PrivateServerOptions {
  /** Timeout in ms for the server's first reply. Default: 10,000, or 600,000 with a folder. */
  readonly startTimeoutMs?: number;
  /** Folder for the data. Default: the data is in memory only. */
  readonly folder?: string | undefined;
  /** Called with a one-line message when the server exited or could not be started again. */
  readonly onNotice?: ((message: string) => void) | undefined;
}

/**
 * Starts a Redis or Valkey server that only this user can reach: it listens on a UNIX socket in a folder of its own, not on a
 * TCP port, and writes data to disk only if `folder` is set. It ends with this process, even if this process is killed. If it
 * exits before, it is restarted, with the data in `folder` or empty.
 * @param program path of the server.
 * @throws {Error} when it does not start, with its output.
 */
export async function startPrivateServer(
  program: string,
  options: PrivateServerOptions = {},
): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), "warmline-"));
  const server = new PrivateServer(program, folder, options);
  await server.start();
  return server;
}

function serverArguments(folder: string, socket: string, data: string | undefined): string[] {
  const settings: Record<string, string> = {
    port: "0",
    unixsocket: socket,
    unixsocketperm: "700",
    dir: data ?? folder,
    save: "",
    appendonly: data === undefined ? "no" : "yes",
    appendfsync: "everysec",
    daemonize: "no",
    logfile: "",
    loglevel: "warning",
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

class PrivateServer implements Engine {
  description = "";
  readonly explain = explainMissing;
  readonly data: string | undefined;
  readonly socket: string;
  readonly #closing = new AbortController();
  #child: ChildProcess | null = null;
  #ended: Promise<unknown> = Promise.resolve();
  #restarting: Promise<void> = Promise.resolve();
  #backoff = INITIAL_BACKOFF;

  constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly options: PrivateServerOptions,
  ) {
    this.socket = join(folder, "redis.sock");
    this.data = options.folder && `${options.folder} (append-only file, synchronized every second)`;
  }

  connect(onread?: OnReadOpts): Socket {
    return connect({ path: this.socket, onread });
  }

  /** Starts the program in its folder, and resolves once it replies. On failure nothing of it is left. */
  async start(): Promise<void> {
    const child = spawnOnLifeline(
      this.program,
      serverArguments(this.folder, this.socket, this.options.folder),
      this.folder,
    );
    const output = lastLines(child);
    this.#child = child;
    this.#ended = once(child, "exit").catch(() => {});
    // The gateway's own work keeps the process alive, not its Redis.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      (stream as Socket | null)?.unref();
      stream?.on("error", () => {});
    }
    const begun = performance.now();
    const { folder, startTimeoutMs = folder === undefined ? 10_000 : LOAD_TIMEOUT } = this.options;
    try {
      const info = await firstReply(child, this.socket, startTimeoutMs);
      this.description = `${versionOf(info)} (started privately)`;
    } catch (error) {
      await this.#end(child);
      const text = output();
      throw new Error(
        `${basename(this.program)} did not start: ${(error as Error).message}${text && `; its output: ${text}`}`,
      );
    }
    void this.#ended.then(() => {
      if (performance.now() - begun >= MIN_STABLE_TIME) this.#backoff = INITIAL_BACKOFF;
      const status = child.exitCode ?? child.signalCode;
      const lost = folder === undefined ? ", and its data is lost" : "";
      this.#restarting = this.#startAgain(
        `the private ${this.description.split(" ")[0]} ended (status ${status})${lost}`,
      );
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#child && this.options.folder !== undefined) await this.#shutDown(this.#child);
    if (this.#child) await this.#end(this.#child);
    await this.#restarting;
  }

  /** Tells a server that keeps its data to write all of it and end. After a timeout it is ended by force. */
  async #shutDown(child: ChildProcess): Promise<void> {
    child.ref();
    const socket = connect(this.socket).on("error", () => {});
    socket.write("*2\r\n$8\r\nSHUTDOWN\r\n$6\r\nNOSAVE\r\n");
    const timeout = AbortSignal.timeout(SHUTDOWN_TIMEOUT);
    await Promise.race([this.#ended, once(timeout, "abort")]);
    socket.destroy();
  }

  /** Retries until the server runs, since its users hold the socket's path. */
  async #startAgain(reason: string): Promise<void> {
    const { signal } = this.#closing;
    for (let text = reason; !signal.aborted; ) {
      const wait = this.#backoff;
      this.#backoff = Math.min(MAX_BACKOFF, 2 * wait);
      this.options.onNotice?.(`${text}; it is restarted in ${wait} ms`);
      try {
        await sleep(wait, undefined, { ref: false, signal });
        await rm(this.folder, { recursive: true, force: true });
        // Fails if another process has created the folder meanwhile.
        await mkdir(this.folder, { mode: 0o700 });
        if (signal.aborted) await rm(this.folder, { recursive: true, force: true });
        else await this.start();
        return;
      } catch (error) {
        text = (error as Error).message;
      }
    }
  }

  /** Ends a process, and removes the folder. */
  async #end(child: ChildProcess): Promise<void> {
    child.ref();
    child.stdin?.end();
    await this.#ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Sends INFO until the server replies. Fails if the server ends first or takes too long. */
async function firstReply(child: ChildProcess, socket: string, timeoutMs: number): Promise<string> {
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (failure) throw failure;
    const status = child.exitCode ?? child.signalCode;
    if (status !== null) throw new Error(`it exited with status ${status}`);
    const info = await askInfo(socket, deadline - performance.now());
    if (info !== undefined) return info;
    await sleep(10);
  }
  throw new Error(`no response within ${timeoutMs / 1000} s`);
}

/** Returns the reply to INFO, or undefined while the server does not listen yet or still loads its data. */
async function askInfo(path: string, timeoutMs: number): Promise<string | undefined> {
  const socket = connect(path).setEncoding("latin1");
  socket.setTimeout(timeoutMs, () => socket.destroy());
  // INFO is one of the commands that a server runs while it loads. It closes the connection after QUIT.
  socket.write("*1\r\n$4\r\nINFO\r\n*1\r\n$4\r\nQUIT\r\n");
  const reply = await textOf(socket).catch(() => "");
  return reply.startsWith("$") && !/^loading:1/m.test(reply) ? reply : undefined;
}

function versionOf(info: string): string {
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1];
  const valkey = field("valkey_version");
  return valkey === undefined ? `redis ${field("redis_version") ?? "(unknown version)"}` : `valkey ${valkey}`;
}

/** Reads the output of a child, so that the child never blocks when it writes. Returns a function that returns the last lines. */
function lastLines(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (part: string) => {
      text = (text + part).slice(-2000);
    });
  }
  return () => text.trim().split("\n").slice(-3).join(" | ");
}
