import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Systems give connections, and servers that ask for any port, higher ones (Linux from 32,768 on), so that nobody takes
 * one of these by chance before it is used. The same goes for those 10,000 above, on which the nodes of a cluster talk.
 */
const [LOWEST, HIGHEST] = [11_000, 22_000];

/** Those that this process was given already. */
const given = new Set<number>();

/**
 * Finds loopback ports that are free now, each once in a process. Another process could take one before it is used, so
 * this is only for programs that cannot be told to choose a port themselves.
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
