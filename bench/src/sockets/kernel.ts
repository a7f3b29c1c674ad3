import { existsSync, readFileSync } from "node:fs";

const FILES = ["/proc/net/tcp", "/proc/net/tcp6"];
export const ESTABLISHED = "01";
export const FIN_WAIT_1 = "04";
export const FIN_WAIT_2 = "05";
const TIME_WAIT = "06";

/** Returns why sockets cannot be read here, as "needs ..."; undefined if they can. */
export const kernelMissing = (): string | undefined =>
  existsSync(FILES[0]!) ? undefined : "needs Linux: it reads sockets from /proc/net/tcp";

/** One socket as the kernel lists it. Addresses are in hexadecimal. */
export type KernelSocket = ReturnType<typeof parseSockets>[number];
type KernelSockets = readonly KernelSocket[];

/**
 * Parses the text of `/proc/net/tcp`.
 * @param port the port of one end; other lines, of which there may be thousands, are skipped unread. Default: any
 */
export function parseSockets(text: string, port?: number) {
  const end = port === undefined ? "" : `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  return text
    .split("\n")
    .slice(1)
    .filter((line) => line.includes(end))
    .map((line) => line.trim().split(/\s+/))
    .filter((args) => args.length > 3)
    .map(([, local, remote, state]) => ({
      localAddress: local!.split(":")[0]!,
      remoteAddress: remote!.split(":")[0]!,
      localPort: Number.parseInt(local!.split(":").at(-1)!, 16),
      remotePort: Number.parseInt(remote!.split(":").at(-1)!, 16),
      state: state!,
    }));
}

/** The kernel's sockets of this moment. @param port the port of one end. Default: any */
export function kernelSockets(port?: number): KernelSocket[] {
  const files = FILES.filter((file) => existsSync(file));
  return files.flatMap((file) => parseSockets(readFileSync(file, "utf8"), port));
}

const identity = ({ localAddress, localPort, remoteAddress, remotePort }: KernelSocket): string =>
  `${localAddress}:${localPort}-${remoteAddress}:${remotePort}`;

/** An IPv4 address as the kernel prints it: the last byte first. */
const hexadecimal = (address: string): string =>
  Buffer.from(address.split(".").map(Number).reverse()).toString("hex").toUpperCase();

/**
 * Returns a function that counts the sockets in TIME_WAIT with one of these ports at either end.
 * @param sockets sockets that do not count, whatever their state. Default: those that exist now
 * @param client the IPv4 address of the clients whose sockets count. Default: all clients
 */
export function timeWaitCounter(ports: ReadonlySet<number>, sockets = kernelSockets(), client?: string) {
  const before = new Set(sockets.map(identity));
  const address = client && hexadecimal(client);
  const isClient = ({ localAddress, remoteAddress }: KernelSocket) =>
    address === undefined || localAddress === address || remoteAddress === address;
  const isServed = ({ localPort, remotePort }: KernelSocket) => ports.has(localPort) || ports.has(remotePort);
  return (now: KernelSockets = kernelSockets()): number =>
    now.filter(
      (socket) =>
        socket.state === TIME_WAIT && isServed(socket) && isClient(socket) && !before.has(identity(socket)),
    ).length;
}
