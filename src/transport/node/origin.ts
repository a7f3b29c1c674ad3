import type { Socket, TcpNetConnectOpts } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { ServerAddress } from "../../util/server-address.js";
import { builtin } from "./builtin.js";
import type { Network } from "./network.js";
import { openTunnel } from "./tunnel.js";

/** The server of a pool's connections. */
export interface Origin extends ServerAddress {
  readonly url: string;
  readonly network: Network | undefined;
  /** Whether it has sent a complete response. */
  responded?: boolean;
  /** The last TLS session. With it the next handshake need not check the certificate. */
  session?: Buffer;
}

// These modules are loaded with the first connection, since loading them takes longer than importing the rest of this package.
// Not by `import()`, which would delay the connection.
const net = () => builtin("node:net");
const tlsModule = () => builtin("node:tls");

const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 60_000 };

/** Returns the name for SNI, which must not be an IP address (RFC 6066, section 3). */
const toServername = (host: string) => (net().isIP(host) ? "" : host);

/** Read buffer that all sockets of the thread share. */
let memory: Buffer | undefined;

/**
 * Starts to connect. The socket emits `connect` or `secureConnect` when it can be written.
 * @param onBytes takes the bytes that were read. The next read overwrites them. With it the socket does not emit `data`, which
 * saves a tenth of a command's time. On Deno and Bun the socket emits `data` instead.
 */
export function openSocket(origin: Origin, onBytes?: (bytes: Buffer) => void): Socket {
  const { url, host, port, tls, network, session } = origin;
  const options: TcpNetConnectOpts = { host, port, ...KEEP_ALIVE };
  if (onBytes && !process.versions.deno && !process.versions.bun) {
    memory ??= Buffer.allocUnsafeSlow(64 * 1024);
    const callback = (count: number, buffer: Uint8Array) => {
      onBytes((buffer as Buffer).subarray(0, count));
      return true;
    };
    options.onread = { buffer: memory, callback };
  }
  const tunnel = network?.proxy && connectThrough(network, url, port);
  if (!tls) return (tunnel as Socket | undefined) ?? net().connect({ ...options, noDelay: true });
  const socket = tlsModule().connect({
    ...(tunnel ? { socket: tunnel } : options),
    servername: toServername(host),
    ALPNProtocols: ["http/1.1"],
    session,
    ...network?.tls,
  } as ConnectionOptions);
  if (tunnel) Object.assign(socket, { ref: tunnel.ref, unref: tunnel.unref });
  // tls.connect ignores `noDelay`. Without it the first request waits 40 ms for a delayed acknowledgement.
  socket.setNoDelay(true);
  socket.on("session", (ticket) => {
    origin.session = ticket;
  });
  return socket;
}

/** Starts to connect to the network's proxy, and opens a tunnel to the host. */
function connectThrough({ proxy, tls }: Network, url: string, port: number) {
  const { host, port: proxyPort, tls: secure } = proxy!;
  const options = { host, port: proxyPort, ...KEEP_ALIVE };
  const socket = secure
    ? tlsModule().connect({ ...options, servername: toServername(host), ca: tls?.ca } as ConnectionOptions)
    : net().connect(options);
  socket.setNoDelay(true);
  return openTunnel(socket, proxy!, `${new URL(url).hostname}:${port}`);
}
