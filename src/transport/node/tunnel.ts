import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { builtin } from "./builtin.js";
import type { ProxyServer } from "./network.js";

/** A stream with the methods of a socket that decide whether it keeps the process alive. */
export type Tunnel = Duplex & Pick<Socket, "ref" | "unref">;

/** Maximum size in bytes of the head of a proxy's response to CONNECT. */
const MAX_HEAD = 16 * 1024;

/**
 * Returns a stream to `authority` (host:port) through a proxy, to which `socket` is still connecting. The stream emits `connect`
 * when the tunnel is open; writes wait for that. It is destroyed with an error if the proxy refuses.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6
 */
export function openTunnel(socket: Socket, { tls, authorization }: ProxyServer, authority: string): Tunnel {
  const { Duplex } = builtin("node:stream");
  const tunnel = new Duplex({
    allowHalfOpen: false,
    read: () => void socket.resume(),
    write(chunk, _encoding, done) {
      void opened.then(() => socket.write(chunk, done));
    },
    final: (done) => void opened.then(() => socket.end(done)),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  const opened = new Promise<void>((resolve) => {
    tunnel.once("connect", resolve);
  });
  const forward = (chunk: Buffer) => {
    if (!tunnel.push(chunk)) socket.pause();
  };
  let head = Buffer.alloc(0);
  let isOpen = false;
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) {
      if (head.length > MAX_HEAD)
        tunnel.destroy(new Error("the head of the proxy's response to CONNECT is too long"));
      return;
    }
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString("latin1", 0, end)) ?? [];
    if (!status?.startsWith("2")) {
      tunnel.destroy(
        new Error(
          status
            ? `the proxy refused CONNECT with status ${status}`
            : "the proxy's response to CONNECT is malformed",
        ),
      );
      return;
    }
    socket.off("data", readHead).on("data", forward);
    isOpen = true;
    tunnel.emit("connect");
    if (head.length > end + 4) forward(head.subarray(end + 4));
  };
  socket
    .once(tls ? "secureConnect" : "connect", () => {
      const credentials = authorization ? `Proxy-Authorization: ${authorization}\r\n` : "";
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
    })
    .on("data", readHead)
    .on("end", () => isOpen && tunnel.push(null))
    .on("error", (error) => tunnel.destroy(new Error(`proxy: ${error.message}`, { cause: error })))
    .on("close", () =>
      tunnel.destroy(isOpen ? undefined : new Error("the proxy closed before its response to CONNECT")),
    );
  return Object.assign(tunnel, { ref: () => socket.ref(), unref: () => socket.unref() });
}
