import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Endpoint } from "../../../bench-client.js";
import type { OpenClient } from "../client.js";

/** The floor: ready-made requests on sockets, answers read as far as it takes to know that they are whole. */
export const open: OpenClient = (endpoint) => {
  const idle: Exchange[] = [];
  const send = async (request: string): Promise<Buffer> => {
    const exchange = idle.pop() ?? new Exchange(await openSocket(endpoint));
    const answer = await exchange.run(request);
    idle.push(exchange);
    return answer;
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

/** The bulk string that is all of an answer's body. */
function bulkOf(answer: Buffer): Buffer {
  const head = answer.indexOf("\r\n\r\n") + 4;
  return answer.subarray(answer.indexOf("\r\n", head) + 2, answer.length - 2);
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
  private done: (answer: Buffer) => void = () => {};

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

/** The whole answer's length, by its head, which comes in one piece. */
function lengthOf(part: Buffer): number {
  const end = part.indexOf("\r\n\r\n");
  const at = part.indexOf("Content-Length: ") + 16;
  return end + 4 + Number(part.toString("latin1", at, part.indexOf("\r\n", at)));
}
