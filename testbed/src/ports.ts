import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/**
 * Operating systems assign higher ports to connections and to servers that listen on port 0 (Linux: 32,768 and up), so no other
 * program takes one of these by chance. The next 10,000 ports are the buses of cluster nodes, which `freePorts` never returns.
 */
const [LOWEST, HIGHEST] = [11_000, 21_000];
const BLOCK_SIZE = 100;

/** Ports of this process's blocks that were not returned yet. */
const left: number[] = [];
/** Listens on the first port of a block, so that other processes take other blocks. */
const locks: Server[] = [];

/**
 * Returns loopback ports that are free now, each once per process. Other processes that call this function receive other
 * ports as long as this process lives. Use it for programs that cannot choose a port themselves, for ports that are freed
 * and used again, and for ports on which nothing may listen.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    while (left.length === 0) await takeBlock();
    const port = left.splice(randomInt(left.length), 1)[0]!;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** Takes a block that no other process holds. */
async function takeBlock(): Promise<void> {
  for (;;) {
    const first = LOWEST + BLOCK_SIZE * randomInt((HIGHEST - LOWEST) / BLOCK_SIZE);
    const lock = await listen(first);
    if (!lock) continue;
    locks.push(lock.unref());
    for (let port = first + 1; port < first + BLOCK_SIZE; port++) left.push(port);
    return;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  return server !== undefined;
}

/** Listens on a port; undefined if it is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
