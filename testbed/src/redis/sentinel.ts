import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../ports.js";
import { type RedisProcess, runRedis, untilTogether } from "./process.js";

const GROUP = "main";

/** A primary with a replica, and the three Sentinels that watch them. */
export interface RedisGroup {
  /** The primary at the start. */
  readonly primary: { readonly port: number; kill(): Promise<void> };
  /** The addresses of the Sentinels and the name of the group, as a `redis+sentinel://` URL. */
  readonly url: string;
  /** Ends all of them and removes their folder. */
  stop(): Promise<void>;
}

/** Options of {@link startSentinels}. */
export interface SentinelOptions {
  /** The password of primary and replica. Default: none. */
  readonly password?: string;
  /** The password of the Sentinels. Default: none. */
  readonly sentinelPassword?: string;
}

/**
 * Starts a primary, a replica and three Sentinels, which replace the primary after a second of silence. Returns when each Sentinel
 * has discovered the others and may promote the replica.
 * @throws if there is no server on PATH (see {@link findRedisServer}) or one does not start
 */
export async function startSentinels(options: SentinelOptions = {}): Promise<RedisGroup> {
  const folder = mkdtempSync(join(tmpdir(), "warmline-sentinel-"));
  const running: RedisProcess[] = [];
  const stop = async () => {
    await Promise.all(running.map((each) => each.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (port: number, file: string | null, flags: readonly string[]) => {
    const serverFolder = join(folder, String(port));
    mkdirSync(serverFolder);
    const config = join(serverFolder, "sentinel.conf");
    if (file !== null) writeFileSync(config, file);
    const common = ["--port", String(port), "--bind", "127.0.0.1", "--dir", serverFolder];
    const process = await runRedis(
      [...(file === null ? [] : [config]), ...common, ...flags],
      { port },
      folder,
    );
    running.push(process);
    return process;
  };
  try {
    const [first, second, ...sentinels] = (await freePorts(5)) as [number, number, ...number[]];
    const plain = ["--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"];
    const primary = await start(first, null, plain);
    await start(second, null, [...plain, "--replicaof", "127.0.0.1", String(first)]);
    await untilTogether(async () =>
      String(await primary.command("INFO", "replication")).includes("state=online"),
    );
    const config = [
      `sentinel monitor ${GROUP} 127.0.0.1 ${first} 2`,
      `sentinel down-after-milliseconds ${GROUP} 1000`,
      `sentinel failover-timeout ${GROUP} 5000`,
    ].join("\n");
    for (const port of sentinels) await start(port, `${config}\n`, ["--sentinel"]);
    for (const { command } of running.slice(2)) {
      await untilTogether(async () => {
        const primary = (await command("SENTINEL", "MASTER", GROUP)) as string[];
        const [replica] = (await command("SENTINEL", "REPLICAS", GROUP)) as string[][];
        // A replica whose INFO a Sentinel has not received yet is not promoted.
        const isKnown = replica && getField(replica, "master-link-status") === "ok";
        return (
          isKnown &&
          getField(replica, "flags") === "slave" &&
          getField(primary, "num-other-sentinels") === "2"
        );
      });
    }
    const { password, sentinelPassword } = options;
    // The passwords are set last: existing connections stay authenticated.
    for (const { command } of password === undefined ? [] : running.slice(2)) {
      await command("SENTINEL", "SET", GROUP, "auth-pass", password!);
    }
    for (const { command } of password === undefined ? [] : running.slice(0, 2)) {
      await command("CONFIG", "SET", "masterauth", password!, "requirepass", password!);
    }
    for (const { command } of sentinelPassword === undefined ? [] : running.slice(2)) {
      await command("SENTINEL", "CONFIG", "SET", "sentinel-pass", sentinelPassword!);
      await command("ACL", "SETUSER", "default", "resetpass", `>${sentinelPassword}`);
    }
    const user = password === undefined ? "" : `:${password}@`;
    const hosts = sentinels.map((port) => `127.0.0.1:${port}`).join(",");
    const query = sentinelPassword === undefined ? "" : `?sentinelPassword=${sentinelPassword}`;
    return {
      primary: { port: first, kill: () => primary.kill() },
      url: `redis+sentinel://${user}${hosts}/${GROUP}${query}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns a field of a Sentinel's reply, a list of names and values. */
function getField(reply: readonly string[], name: string): string | undefined {
  return reply[reply.indexOf(name) + 1];
}
