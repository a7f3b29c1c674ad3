import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../ports.js";
import { type RedisProcess, runRedis } from "./process.js";

/** Options of {@link startRedis}. */
export interface RedisServerOptions {
  /** Listens only on a UNIX socket (`unix`, the default) or on a free loopback port (`tcp`). */
  readonly listen?: "unix" | "tcp";
  /** More flags for the server, such as `["--maxmemory", "10mb"]`. */
  readonly flags?: readonly string[];
  /** Path of the program. Default: `redis-server` or `valkey-server` on PATH. */
  readonly server?: string;
}

/** A private Redis server. A restart leaves it empty. */
export interface RedisServer extends RedisProcess {
  /** The path of the UNIX socket, if it listens on one. */
  readonly path: string | undefined;
  /** The loopback port, if it listens on one. */
  readonly port: number | undefined;
  /** Its address as a `redis://` or `unix://` URL, as the gateway takes it. */
  readonly url: string;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a private Redis server without persistence. Its folder is removed when this process ends.
 * @throws if there is no server on PATH (see {@link findRedisServer}) or it does not start
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "warmline-redis-"));
  const port = options.listen === "tcp" ? (await freePorts(1))[0]! : undefined;
  const path = port === undefined ? join(folder, "redis.sock") : undefined;
  const address = path === undefined ? { port: port! } : { path };
  const listen =
    path === undefined
      ? ["--port", String(port), "--bind", "127.0.0.1"]
      : ["--port", "0", "--unixsocket", path];
  const flags = [...listen, "--dir", folder, "--save", "", "--appendonly", "no", ...(options.flags ?? [])];
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const running = await runRedis(flags, address, folder, options.server).catch((error) => {
    remove();
    throw error;
  });
  return Object.assign(running, {
    path,
    port,
    url: path === undefined ? `redis://127.0.0.1:${port}` : `unix://${path}`,
    stop: async () => {
      await running.kill();
      remove();
    },
  });
}
