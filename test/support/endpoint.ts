import { createServer, type Socket } from "node:net";
import { forEachTest, forTest } from "./lifetime.js";
import { listenApart } from "./listen-apart.js";

/** A request as it arrived, whole. */
export interface Arrived {
  readonly head: string;
  readonly body: string;
  /** Which connection it came on, from 1, and which request of that connection it is, from 1. */
  readonly connection: number;
  readonly number: number;
  readonly socket: Socket;
}

/**
 * An HTTP endpoint whose every byte a test controls: `onRequest` gets each whole request and writes any bytes to the
 * socket.
 */
export class RawEndpoint {
  readonly requests: Arrived[] = [];
  connections = 0;
  /** By default: OK, in the requested format. */
  onRequest: (request: Arrived) => void = ({ head, socket }) => {
    const json = { "content-type": "application/json", "warmline-gateway": "0" };
    socket.write(/: resp2/.test(head) ? resp2Response("+OK\r\n") : httpResponse('{"result":"OK"}', json));
  };
  onConnection: (socket: Socket, connection: number) => void = () => {};
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer();
  private constructor() {}

  static async start(): Promise<RawEndpoint> {
    const endpoint = new RawEndpoint();
    endpoint.server.on("connection", (socket) => endpoint.accept(socket));
    await listenApart(endpoint.server);
    return endpoint;
  }

  /** Starts one that stops when the running test ends. */
  static async startForTest(): Promise<RawEndpoint> {
    return forTest(await RawEndpoint.start());
  }

  /** Starts one for each test of a file or a group. */
  static forEachTest(): RawEndpoint {
    return forEachTest(() => RawEndpoint.start());
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  /** Answers every request from now on with these bytes. */
  answer(response: string): void {
    this.onRequest = ({ socket }) => socket.write(response);
  }

  /** Number of requests whose body contains `text`. */
  count(text: string): number {
    return this.requests.filter((request) => request.body.includes(text)).length;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(socket: Socket): void {
    const connection = ++this.connections;
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket)).on("error", () => {});
    this.onConnection(socket, connection);
    let number = 0;
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (;;) {
        const end = received.indexOf("\r\n\r\n");
        if (end === -1) return;
        const head = received.slice(0, end);
        const rest = received.slice(end + 4);
        const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        const whole = /transfer-encoding: *chunked/i.test(head)
          ? unchunked(rest)
          : ([rest.slice(0, length), length] as const);
        if (!whole || rest.length < whole[1]) return;
        const [body, taken] = whole;
        received = rest.slice(taken);
        const request = { head, body, connection, number: ++number, socket };
        this.requests.push(request);
        this.onRequest(request);
      }
    });
  }
}

/** Returns a chunked body and its length as it was sent; undefined if it is not whole yet. */
function unchunked(sent: string): readonly [body: string, taken: number] | undefined {
  let body = "";
  for (let at = 0; ; ) {
    const lineEnd = sent.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(sent.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (sent.length < end + 2) return undefined;
    if (size === 0) return [body, end + 2];
    body += sent.slice(lineEnd + 2, end);
    at = end + 2;
  }
}

/** Returns a complete response of warmline-gateway in RESP2. */
export function resp2Response(
  reply: string,
  headers: Record<string, string> = {},
  status = "200 OK",
): string {
  return httpResponse(
    reply,
    { "content-type": "application/vnd.redis.resp2", "warmline-gateway": "0", ...headers },
    status,
  );
}

/** Returns a complete response of any endpoint in JSON. */
export const jsonResponse = (body: string, headers: Record<string, string> = {}, status?: string): string =>
  httpResponse(body, { "content-type": "application/json", ...headers }, status);

/** Returns a complete response of any endpoint. */
export function httpResponse(body: string, headers: Record<string, string>, status = "200 OK"): string {
  const lines = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) });
  return `HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}
