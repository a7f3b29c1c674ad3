import { type AddressInfo, createServer } from "node:net";

/**
 * Finds loopback ports that are free now. Another process could take one before it is used, so this is only for
 * programs that cannot be told to choose a port themselves.
 */
export async function freePorts(
  count: number,
  accept: (port: number) => boolean = () => true,
): Promise<number[]> {
  const servers = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    if (accept(port)) ports.push(port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
