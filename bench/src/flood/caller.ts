import { connect, type Socket } from "node:net";

/** The gateway's port and token. */
export interface GatewayAddress {
  readonly port: number;
  readonly token: string;
}

/** Time in ms after which a request without a response closes its connection. */
const LIMIT_MS = 60_000;
const BODY = '["GET","greeting"]';

/** One connection to the gateway that sends GETs. */
export class Caller {
  /** Whether the gateway refused it with a 503. */
  refused = false;
  /** Whether the 503 has `Retry-After` and says that nothing was run, so that a retry is safe. */
  refusedWithRetryAfter = false;
  closed = false;
  /** Number of responses with a result. */
  responses = 0;
  private readonly socket: Socket;
  private readonly request: Buffer;
  private received = "";
  private settle: () => void = () => {};

  constructor(
    { port, token }: GatewayAddress,
    private readonly limitMs = LIMIT_MS,
  ) {
    this.request = Buffer.from(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    // The received bytes show the error; `close` follows.
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.closed = true;
      this.settle();
    });
    this.socket.on("data", (chunk: Buffer) => this.read(chunk.toString("latin1")));
  }

  /** Sends one request. Returns the latency in ms; null without a result, or after 60 s, when it closes the connection. */
  async call(): Promise<number | null> {
    const before = this.responses;
    const sentAt = performance.now();
    let took = 0;
    const timer = setTimeout(() => this.socket.destroy(), this.limitMs);
    await new Promise<void>((resolve) => {
      this.settle = () => {
        took = performance.now() - sentAt;
        resolve();
      };
      if (this.closed) resolve();
      else this.socket.write(this.request);
    });
    clearTimeout(timer);
    return this.responses > before ? took : null;
  }

  close(): void {
    this.socket.destroy();
  }

  private read(text: string): void {
    this.received += text;
    const response = this.received;
    const end = response.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = response.slice(0, end);
    const [, length] = /^content-length: (\d+)/im.exec(head) ?? [];
    if (response.length < end + 4 + Number(length)) return;
    this.received = "";
    if (head.startsWith("HTTP/1.1 200 ")) this.responses++;
    else {
      this.refused = head.startsWith("HTTP/1.1 503 ");
      this.refusedWithRetryAfter =
        /^retry-after: \d+$/im.test(head) && /^warmline-outcome: unsent$/im.test(head);
    }
    this.settle();
  }
}
