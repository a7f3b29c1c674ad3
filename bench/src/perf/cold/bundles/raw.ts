import type { Socket } from "node:net";
import type { OpenCold } from "../cold-client.js";

/** The lower bound: a prepared request on a socket, connected ahead if requested. */
export const open: OpenCold = ({ url, token }) => {
  const { hostname: host, port, protocol } = new URL(url);
  const body = '["GET","greeting"]';
  const request =
    `POST / HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n` +
    `upstash-response-format: resp2\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const connected = connect();
  connected.catch(() => {});

  async function connect(): Promise<Socket> {
    const address = { host, port: Number(port) };
    let open: (connected: () => void) => Socket;
    if (protocol === "https:") {
      const tls = await import("node:tls");
      open = (connected) => tls.connect({ ...address, servername: "" }, connected);
    } else {
      const net = await import("node:net");
      open = (connected) => net.connect(address, connected);
    }
    return new Promise((resolve, reject) => {
      const socket: Socket = open(() => resolve(socket));
      socket.setNoDelay(true);
      socket.on("error", reject);
    });
  }

  return {
    command: async () => {
      const socket = await connected;
      return new Promise((resolve) => {
        socket.once("data", (response: Buffer) =>
          resolve(response.subarray(response.indexOf("\r\n\r\n") + 4)),
        );
        socket.write(request);
      });
    },
    ready: async () => void (await connected),
  };
};
