import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Operating systems assign higher ports to connections and to servers that listen on port 0 (Linux: 32,768 and up), so
 * none of these is taken by chance before it is used. The same goes for the 10,000 above, which cluster nodes use as their bus.
 */
const [LOWEST, HIGHEST] = [11_000, 22_000];

/** Ports that this process already received. */
const given = new Set<number>();

/**
 * Returns loopback ports that are free now, each once per process. Another process could take one before it is used, so
 * use this only for programs that cannot choose a port themselves.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(LOWEST, HIGHEST);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
