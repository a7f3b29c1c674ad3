import type { Socket } from "node:net";
import { MalformedProxyHeader, readProxyHeader } from "./proxy-header.js";
import { plainAddress, type TrustedProxies } from "./trusted-proxies.js";

/** Closed connections are reported no more often than this, in ms. */
const REPORT_EVERY = 10_000;

/** Options of {@link ProxyEntrance}. */
export interface ProxyEntranceOptions {
  readonly proxies: TrustedProxies;
  /** Timeout in ms for a header. */
  readonly timeout: number;
  /** Maximum number of connections that wait for their header. */
  readonly room: () => number;
  /** Called with a one-line message when connections were closed. */
  readonly onNotice: (message: string) => void;
}

/**
 * Reads the PROXY header that each connection begins with. A connection of an untrusted sender, or one that begins with
 * anything else, is closed: its bytes can't be distinguished from a client's.
 */
export class ProxyEntrance {
  readonly #options: ProxyEntranceOptions;
  /** Connections whose header is not there yet; the oldest comes first. */
  readonly #waiting = new Set<Socket>();
  #closed = new Map<string, number>();
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ProxyEntranceOptions) {
    this.#options = options;
  }

  /**
   * Reads the header of a new connection. Calls `done` with the address of its client, or null for the sender's own
   * connection. The bytes after the header can then be read from the socket.
   */
  enter(socket: Socket, done: (client: string | null) => void): void {
    socket.on("error", () => {});
    if (!this.#options.proxies.has(plainAddress(socket.remoteAddress ?? ""))) {
      this.#refuse(socket, "do not come from a trusted proxy");
      return;
    }
    this.#waiting.add(socket);
    let bytes: Buffer = Buffer.alloc(0);
    const leave = () => {
      clearTimeout(timer);
      this.#waiting.delete(socket);
      socket.off("readable", read).off("close", leave).off("end", end);
    };
    const refuse = (why: string) => {
      leave();
      this.#refuse(socket, why);
    };
    // A check whether the port is open is no fault.
    const end = () => (bytes.length === 0 ? socket.destroy() : refuse("ended within their PROXY header"));
    const timer = setTimeout(() => refuse("did not send their PROXY header in time"), this.#options.timeout);
    const read = () => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read())
        bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        const header = readProxyHeader(bytes);
        if (!header) return;
        leave();
        if (header.length < bytes.length) socket.unshift(bytes.subarray(header.length));
        done(header.address);
      } catch (error) {
        if (!(error instanceof MalformedProxyHeader)) throw error;
        refuse("do not begin with a PROXY protocol v2 header");
      }
    };
    socket.on("readable", read).on("close", leave).on("end", end);
    if (this.#waiting.size <= this.#options.room()) return;
    const [oldest] = this.#waiting;
    oldest!.destroy();
  }

  /** Ends the connections that wait for their header. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy();
  }

  #refuse(socket: Socket, why: string): void {
    socket.destroy();
    this.#closed.set(why, (this.#closed.get(why) ?? 0) + 1);
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY) return;
    this.#reportedAt = now;
    for (const [each, count] of this.#closed)
      this.#options.onNotice(`--proxy-protocol: closed connections that ${each}: ${count}`);
    this.#closed.clear();
  }
}
