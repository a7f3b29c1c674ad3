import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** The address of a plain socket, and its authentication. */
export interface RawTarget {
  readonly port: number;
  readonly tls: boolean;
  /** The local address. Default: the system's choice. */
  readonly from?: string | undefined;
  /** Redis's own protocol, with or without a login, or HTTP with a token. */
  readonly auth:
    | { readonly protocol: "redis"; readonly login?: readonly [user: string, password: string] }
    | { readonly protocol: "http"; readonly token: string };
}

export const gatewayTarget = ({ port, token }: Readonly<{ port: number; token: string }>): RawTarget => {
  return { port, tls: false, auth: { protocol: "http", token } };
};

/** A plain socket that runs one command at a time, without a client library. */
export class RawConnection {
  private received = "";
  private waiting: ((error?: Error) => void) | undefined;
  private failure: Error | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly target: RawTarget,
  ) {
    const fail = (error: Error) => {
      this.failure ??= error;
      this.waiting?.(this.failure);
    };
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (part: string) => {
      this.received += part;
      this.waiting?.();
    });
    socket.on("error", fail);
    socket.on("close", () => fail(new Error("The connection closed.")));
  }

  /** Connects, with a TLS handshake and AUTH if the target requires them. */
  static async open(target: RawTarget): Promise<RawConnection> {
    const { port, from, auth } = target;
    const to = { host: "127.0.0.1", port, localAddress: from };
    const socket = target.tls ? connectTls(to) : connectTcp(to);
    const connection = new RawConnection(socket, target);
    await new Promise<void>((resolve, reject) => {
      connection.waiting = (error) => error && reject(error);
      socket.once(target.tls ? "secureConnect" : "connect", resolve);
    });
    if (auth.protocol === "redis" && auth.login) await connection.run(["AUTH", ...auth.login]);
    return connection;
  }

  /** Runs one command and returns the text of its reply; an array as JSON. */
  async run(args: readonly string[]): Promise<string> {
    if (this.failure) throw this.failure;
    const { port, auth } = this.target;
    const isRedis = auth.protocol === "redis";
    const read = isRedis ? redisReply : httpResponse;
    this.received = "";
    return new Promise((resolve, reject) => {
      this.waiting = (error) => {
        if (error) return reject(error);
        try {
          const reply = read(this.received);
          if (reply !== undefined) resolve(reply);
        } catch (problem) {
          reject(problem);
        }
      };
      this.socket.write(isRedis ? redisRequest(args) : httpRequest(args, port, auth.token));
    });
  }

  /** Whether the server has closed it, as far as this process has read. */
  get ended(): boolean {
    return this.failure !== undefined;
  }

  /** Stops reading, as a frozen process does; the kernel still receives bytes. */
  freeze(): void {
    this.socket.pause();
  }

  /** Resumes reading; resolves once the bytes received meanwhile are read. */
  async thaw(): Promise<void> {
    this.socket.resume();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  }

  /** Closes the connection; this side closes first, as a client does. */
  close(): void {
    this.socket.end();
  }
}

function redisRequest(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join("")}`;
}

function httpRequest(args: readonly string[], port: number, token: string): string {
  const body = JSON.stringify(args);
  return (
    `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Returns a simple or bulk string, or an array as JSON, once it is complete. @throws on an error reply */
export function redisReply(text: string): string | undefined {
  const value = valueAt(text, 0)?.value;
  return typeof value === "object" ? JSON.stringify(value) : value;
}

type ReplyValue = string | readonly ReplyValue[];

/** Returns the value at an offset, numbers as text, and the offset behind it; undefined if it is incomplete. */
function valueAt(text: string, at: number): { value: ReplyValue; behind: number } | undefined {
  const end = text.indexOf("\r\n", at);
  if (end < 0) return undefined;
  const [kind, line, from] = [text[at]!, text.slice(at + 1, end), end + 2];
  if (kind === "-") throw new Error(line);
  if (!"$*".includes(kind) || line === "-1") return { value: line, behind: from };
  const length = Number(line);
  if (kind === "$") {
    const behind = from + length + 2;
    return text.length >= behind ? { value: text.slice(from, from + length), behind } : undefined;
  }
  const items: ReplyValue[] = [];
  let behind = from;
  while (items.length < length) {
    const item = valueAt(text, behind);
    if (!item) return undefined;
    items.push(item.value);
    behind = item.behind;
  }
  return { value: items, behind };
}

/** Returns the body of a response with a Content-Length once it is complete. @throws if the status is not 200 */
export function httpResponse(text: string): string | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(text.slice(0, text.indexOf("\r\n")));
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1];
  if (length === undefined) throw new Error("The response has no Content-Length.");
  const from = end + 4;
  return text.length >= from + Number(length) ? text.slice(from, from + Number(length)) : undefined;
}
