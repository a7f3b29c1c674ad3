import type { Socket, TcpNetConnectOpts } from "node:net";

/** The server of a pool's connections. */
export interface Origin {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export function parseOrigin(url: string): Origin {
  const { hostname, port, protocol } = new URL(url);
  const tls = protocol === "https:";
  return { url, host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (tls ? 443 : 80), tls };
}

/** The last TLS session of each origin: a further handshake then spares the certificate's check. */
const sessions = new Map<string, Buffer>();

// Loaded when the first connection is opened: that is most of what importing this package would cost. Not by `import()`,
// since a socket has to begin to connect at once.
const net = () => process.getBuiltinModule("node:net");
const tlsModule = () => process.getBuiltinModule("node:tls");

/** Read buffer that all sockets of the thread share, one after the other. */
let memory: Buffer | undefined;

/**
 * Starts to connect; the socket emits `connect` or `secureConnect` when it can be written.
 * @param onBytes takes what comes, before the next read: the bytes are overwritten then. Where it is given the socket
 * is no stream to read from, which saves a tenth of a command's time. On Deno and Bun it stays one, and emits `data`.
 */
export function openSocket({ url, host, port, tls }: Origin, onBytes?: (bytes: Buffer) => void): Socket {
  const options: TcpNetConnectOpts = { host, port, keepAlive: true, keepAliveInitialDelay: 60_000 };
  if (onBytes && !process.versions.deno && !process.versions.bun) {
    memory ??= Buffer.allocUnsafeSlow(64 * 1024);
    const callback = (count: number, buffer: Uint8Array) => {
      onBytes((buffer as Buffer).subarray(0, count));
      return true;
    };
    options.onread = { buffer: memory, callback };
  }
  if (!tls) return net().connect({ ...options, noDelay: true });
  const session = sessions.get(url);
  const servername = net().isIP(host) ? "" : host;
  const socket = tlsModule().connect({ ...options, servername, ALPNProtocols: ["http/1.1"], session });
  // tls.connect leaves `noDelay` out: without this the first request waits 40 ms for a delayed acknowledgement.
  socket.setNoDelay(true);
  socket.on("session", (ticket) => sessions.set(url, ticket));
  return socket;
}
