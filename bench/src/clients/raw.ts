import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { BenchClient, Endpoint } from "../client/bench-client.js";

/** The lower bound: prepared requests on sockets; responses are read only to find their end. */
const raw: BenchClient = {
  name: "raw",
  label: "raw socket",
  note: "The raw socket is the lower bound: it sends a prepared request and reads the response only to find its end.",
  order: 9,
  standard: false,
  reference: true,
  protocol: "http",
  connect: (options) => {
    const { keepAlive } = options;
    const idle: Promise<Exchange>[] = keepAlive ? [Exchange.open(options)] : [];
    // A failed connect rejects the command that needs it.
    idle[0]?.catch(() => {});
    const requests = new Map<string, string>();
    const send = async (body: string, route = ""): Promise<Buffer> => {
      const key = route + body;
      const request = requests.get(key) ?? requestOf(options, body, route);
      requests.set(key, request);
      const opened = idle.pop() ?? Exchange.open(options);
      const exchange = await opened;
      const response = await exchange.run(request);
      if (keepAlive) idle.push(opened);
      else exchange.close();
      return response;
    };
    const command = (...args: string[]) => send(JSON.stringify(args));
    const bytes = async (key: string) => bulkOf(await command("GET", key));
    return {
      get: async (key) => (await bytes(key))?.toString() ?? null,
      set: (key, value) => command("SET", key, value),
      incr: async (key) => Number(/:(\d+)\r\n$/.exec((await command("INCR", key)).toString())?.[1]),
      hgetall: (key) => command("HGETALL", key),
      ping: () => command("PING"),
      pipeline: async (keys) => {
        const response = await send(JSON.stringify(keys.map((key) => ["GET", key])), "pipeline");
        return [bulkOf(response.subarray(response.lastIndexOf("$")))?.toString() ?? null];
      },
      bytes,
      close: async () => {
        for (const opened of idle.splice(0)) (await opened).close();
      },
    };
  },
};

export default raw;

function requestOf({ url, token }: Endpoint, body: string, route: string): string {
  return (
    `POST /${route} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\n` +
    `upstash-response-format: resp2\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Returns the bulk string that ends a response; null for the null bulk string. */
function bulkOf(response: Buffer): Buffer | null {
  const head = response.indexOf("\r\n\r\n$");
  const body = head < 0 ? 0 : head + 4;
  if (response.toString("latin1", body, body + 3) === "$-1") return null;
  return response.subarray(response.indexOf("\r\n", body) + 2, response.length - 2);
}

/** A connection with at most one request in flight. */
class Exchange {
  private parts: Buffer[] = [];
  private missing = 0;
  private settle: { resolve(response: Buffer): void; reject(error: Error): void } | undefined;
  private failure: Error | undefined;

  private constructor(private readonly socket: Socket) {
    const fail = (error: Error) => {
      this.failure ??= error;
      this.settle?.reject(this.failure);
    };
    socket.on("data", (part: Buffer) => this.read(part));
    socket.on("error", fail).on("close", () => fail(new Error("The connection closed.")));
  }

  static open({ url }: Endpoint): Promise<Exchange> {
    const { hostname: host, port, protocol } = new URL(url);
    const address = { host, port: Number(port), noDelay: true };
    return new Promise((resolve, reject) => {
      const opened = () => resolve(new Exchange(socket));
      const socket: Socket =
        protocol === "https:" ? connectTls({ ...address, servername: "" }, opened) : connect(address, opened);
      socket.once("error", reject);
    });
  }

  run(request: string): Promise<Buffer> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(part: Buffer): void {
    if (this.parts.length === 0) this.missing = lengthOf(part);
    this.parts.push(part);
    this.missing -= part.length;
    if (this.missing > 0) return;
    const { parts } = this;
    this.parts = [];
    this.settle!.resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  }
}

/** Returns the length of the whole response from its head, which arrives in one chunk. */
function lengthOf(part: Buffer): number {
  const end = part.indexOf("\r\n\r\n");
  const at = part.indexOf("Content-Length: ") + 16;
  return end + 4 + Number(part.toString("latin1", at, part.indexOf("\r\n", at)));
}
