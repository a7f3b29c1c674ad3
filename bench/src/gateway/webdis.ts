import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram, freePorts } from "warmline-testbed";

export const hasWebdis = (): boolean => findProgram("webdis") !== undefined;

/** Starts webdis with one thread in front of a Redis on a TCP port. @throws when it does not listen in time */
export async function startWebdis(redisPort: number) {
  const folder = mkdtempSync(join(tmpdir(), "warmline-webdis-"));
  const [port] = (await freePorts(1)) as [number];
  const file = join(folder, "webdis.json");
  const address = { redis_host: "127.0.0.1", redis_port: redisPort, http_host: "127.0.0.1", http_port: port };
  const rest = { threads: 1, pool_size: 1, daemonize: false, verbosity: 0, logfile: join(folder, "log") };
  writeFileSync(file, JSON.stringify({ ...address, ...rest, database: 0, acl: [] }));
  const child = spawn("webdis", [file], { stdio: "ignore" });
  const ended = once(child, "exit");
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    kill();
    await ended;
    process.off("exit", kill);
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempts = 0; attempts < 100; attempts++) {
    if (await listens(port)) return { port, pid: child.pid!, stop };
    await pause(50);
  }
  await stop();
  throw new Error(`webdis did not listen on port ${port} within 5 s`);
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
