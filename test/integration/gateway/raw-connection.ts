import { connect, type Socket } from "node:net";
import { forTest } from "../../support/lifetime.js";

/** A connection on which a test writes the bytes itself. It ends with the running test. */
export class RawConnection {
  readonly socket: Socket;
  /** All that has arrived. */
  text = "";
  isClosed = false;
  /** Resolves when the connection has closed, with the error that ended it if there was one. */
  readonly closed: Promise<NodeJS.ErrnoException | undefined>;

  constructor({ url }: { readonly url: string }, request = "") {
    this.socket = connect(Number(new URL(url).port), "127.0.0.1");
    forTest({ close: () => this.socket.destroy() });
    this.socket.on("data", (chunk) => {
      this.text += chunk.toString("latin1");
    });
    this.closed = new Promise((resolve) => {
      this.socket.on("error", resolve).on("close", () => {
        this.isClosed = true;
        resolve(undefined);
      });
    });
    if (request) this.socket.write(request);
  }

  readonly received = (): string => this.text;
}

/** A request with the token `t`. */
export const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n`;

/** A request whose body is sent as it is if it is text, else as JSON. */
export function post(body: unknown, { path = "/", token = "t", headers = "" } = {}): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`;
}
