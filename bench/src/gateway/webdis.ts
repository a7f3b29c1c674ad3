import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, freePorts, until } from "warmline-testbed";
import type { Defer } from "../rig/rig.js";

export const hasWebdis = (): boolean => findProgram("webdis") !== undefined;

/** Starts webdis with one thread in front of a Redis on a TCP port. @throws if it does not respond within 5 s */
export async function startWebdis(redisPort: number, defer: Defer) {
  const folder = mkdtempSync(join(tmpdir(), "warmline-webdis-"));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const [port] = (await freePorts(1)) as [number];
  const file = join(folder, "webdis.json");
  const address = { redis_host: "127.0.0.1", redis_port: redisPort, http_host: "127.0.0.1", http_port: port };
  const rest = { threads: 1, pool_size: 1, daemonize: false, verbosity: 0, logfile: join(folder, "log") };
  writeFileSync(file, JSON.stringify({ ...address, ...rest, database: 0, acl: [] }));
  const child = spawn("webdis", [file], { stdio: "ignore" });
  const ended = once(child, "exit");
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  defer(async () => {
    kill();
    await ended;
    process.off("exit", kill);
  });
  const limit = { timeoutMs: 5_000, pauseMs: 50 };
  const ping = () => fetch(`http://127.0.0.1:${port}/PING`);
  const responds = async () => (await ping().catch(() => undefined))?.ok === true;
  await until(responds, `webdis did not respond on port ${port} within 5 s`, limit);
  return { port, pid: child.pid! };
}
