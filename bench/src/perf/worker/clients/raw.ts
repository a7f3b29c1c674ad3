import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Endpoint } from "../../../bench-client.js";
import type { OpenClient } from "../client.js";

/** The lower bound: prepared requests on sockets; responses are read only to find their end. */
export const open: OpenClient = (endpoint) => {
  const idle: Exchange[] = [];
  const send = async (request: string): Promise<Buffer> => {
    const exchange = idle.pop() ?? new Exchange(await openSocket(endpoint));
    const response = await exchange.run(request);
    idle.push(exchange);
    return response;
  };
  const commands = new Map<string, string>();
  const ready = (body: string, route = "") => {
    const key = route + body;
    const found = commands.get(key) ?? requestOf(endpoint, body, route);
    commands.set(key, found);
    return found;
  };
  const greeting = ready('["GET","greeting"]');
  const pipeline = (size: number) =>
    ready(JSON.stringify(Array.from({ length: size }, () => ["GET", "greeting"])), "pipeline");
  const json = async (key: string) =>
    JSON.parse(bulkOf(await send(ready(JSON.stringify(["GET", key])))).toString("utf8"));
  return {
    get: () => send(greeting),
    alone: () => send(greeting),
    recreated: () => send(greeting),
    json: (size) => json(`json:${size}`),
    numbers: (size) => json(`numbers:${size}`),
    bytes: async (size) => bulkOf(await send(ready(`["GET","text:${size}"]`))),
    mixed: (size) => send(pipeline(size)),
  };
};

function requestOf({ url, token }: Endpoint, body: string, route: string): string {
  return (
    `POST /${route} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\n` +
    `upstash-response-format: resp2\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

/** Returns the bulk string in a response's body. */
function bulkOf(response: Buffer): Buffer {
  const head = response.indexOf("\r\n\r\n") + 4;
  return response.subarray(response.indexOf("\r\n", head) + 2, response.length - 2);
}

function openSocket({ url }: Endpoint): Promise<Socket> {
  const { hostname: host, port, protocol } = new URL(url);
  return new Promise((resolve, reject) => {
    const tls = protocol === "https:";
    const options = { host, port: Number(port), servername: "" };
    const socket = tls ? connectTls(options, () => resolve(socket)) : connect(options, () => resolve(socket));
    socket.setNoDelay(true);
    socket.on("error", reject);
  });
}

class Exchange {
  private parts: Buffer[] = [];
  private missing = 0;
  private done: (response: Buffer) => void = () => {};

  constructor(private readonly socket: Socket) {
    socket.on("data", (part: Buffer) => this.read(part));
  }

  run(request: string): Promise<Buffer> {
    return new Promise((resolve) => {
      this.done = resolve;
      this.socket.write(request);
    });
  }

  private read(part: Buffer): void {
    if (this.parts.length === 0) this.missing = lengthOf(part);
    this.parts.push(part);
    this.missing -= part.length;
    if (this.missing > 0) return;
    const { parts } = this;
    this.parts = [];
    this.done(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  }
}

/** Returns the length of the whole response from its head, which arrives in one chunk. */
function lengthOf(part: Buffer): number {
  const end = part.indexOf("\r\n\r\n");
  const at = part.indexOf("Content-Length: ") + 16;
  return end + 4 + Number(part.toString("latin1", at, part.indexOf("\r\n", at)));
}
