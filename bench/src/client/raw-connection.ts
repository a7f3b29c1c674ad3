import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { encodeCommand, type Resp, RespError, RespReader } from "warmline-testbed";

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
  private waiting: { resolve(reply: Resp): void; reject(error: Error): void } | undefined;
  private failure: Error | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly target: RawTarget,
  ) {
    const fail = (error: Error) => {
      this.failure ??= error;
      this.waiting?.reject(this.failure);
    };
    const replies = new RespReader();
    const isRedis = target.auth.protocol === "redis";
    const read: Reader = isRedis ? (bytes) => replies.push(bytes) : httpResponses();
    socket.setNoDelay(true);
    socket.on("data", (bytes) => {
      for (const reply of read(bytes)) {
        if (reply instanceof Error) this.waiting?.reject(reply);
        else this.waiting?.resolve(reply);
      }
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
    await new Promise<unknown>((resolve, reject) => {
      connection.waiting = { resolve, reject };
      socket.once(target.tls ? "secureConnect" : "connect", resolve);
    });
    if (auth.protocol === "redis" && auth.login) await connection.run(["AUTH", ...auth.login]);
    return connection;
  }

  /** Runs one command and returns its reply; over HTTP, the body of the response. @throws on an error reply, or a status other than 200 */
  async run(args: readonly string[]): Promise<Resp> {
    if (this.failure) throw this.failure;
    const { port, auth } = this.target;
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(
        auth.protocol === "redis" ? encodeCommand(args) : httpRequest(args, port, auth.token),
      );
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

/** Takes bytes and returns the replies, or errors, that are complete. */
type Reader = (bytes: Buffer) => readonly Resp[];

/** Reads the bodies of responses with a Content-Length. A status other than 200 is an error. */
export function httpResponses(): Reader {
  let text = "";
  return (bytes) => {
    text += bytes.toString("latin1");
    const from = text.indexOf("\r\n\r\n") + 4;
    if (from < 4) return [];
    const head = text.slice(0, from);
    if (!head.startsWith("HTTP/1.1 200 ")) return [new RespError(head.slice(0, head.indexOf("\r\n")))];
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (length === undefined) return [new RespError("The response has no Content-Length.")];
    const end = from + Number(length);
    if (text.length < end) return [];
    const body = text.slice(from, end);
    text = text.slice(end);
    return [body];
  };
}

function httpRequest(args: readonly string[], port: number, token: string): string {
  const body = JSON.stringify(args);
  return (
    `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
