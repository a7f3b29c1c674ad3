import type { Socket } from "node:net";

/** How often connections are looked at, in ms. */
const SWEEP_EVERY = 5_000;

/** How long clients may take, in ms. */
export interface ConnectionLimits {
  /** A connection without a request in flight is closed after this long. */
  readonly idle: number;
  /** A request's head must be complete this long after its first byte. */
  readonly head: number;
  /** A request's body must be complete this long after its head. */
  readonly body: number;
}

/** What is known about one client connection. */
interface Connection {
  requests: number;
  /** When the last request was answered, or the connection was opened; in ms. */
  idleSince: number;
  /** Bytes read by then: more than that without a request is the beginning of one. */
  idleBytes: number;
  headSince: number;
  bodySince: number;
}

/**
 * The client connections. Node's own time limits count from the moment a connection opens, so that one opened
 * ahead of its first request would be answered 408 while idle; here only a request that began is hurried.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, Connection>();
  readonly #timer: NodeJS.Timeout;
  /** Connections accepted since the start. */
  opened = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    const every = Math.min(SWEEP_EVERY, limits.idle / 4, limits.head / 4, limits.body / 4);
    this.#timer = setInterval(() => this.#sweep(), every).unref();
  }

  /** Connections open now. */
  get open(): number {
    return this.#open.size;
  }

  /** Follows a new connection until it closes. */
  add(socket: Socket): void {
    this.opened++;
    this.#open.set(socket, {
      requests: 0,
      idleSince: performance.now(),
      idleBytes: 0,
      headSince: 0,
      bodySince: 0,
    });
    socket.once("close", () => this.#open.delete(socket));
  }

  /** A request's head has arrived. */
  requestStarted(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.requests++;
    connection.headSince = 0;
  }

  /** The body of the request in flight is being waited for. */
  bodyStarted(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection) connection.bodySince = performance.now();
  }

  bodyEnded(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection) connection.bodySince = 0;
  }

  /** A request has been answered. */
  requestEnded(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.requests--;
    connection.bodySince = 0;
    connection.idleSince = performance.now();
    connection.idleBytes = socket.bytesRead;
  }

  /** Whether a request on this connection is unanswered. */
  isBusy(socket: Socket): boolean {
    return (this.#open.get(socket)?.requests ?? 0) > 0;
  }

  /** Stops looking after connections. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open)
      if (this.#isLate(socket, connection, now)) socket.destroy();
  }

  #isLate(socket: Socket, connection: Connection, now: number): boolean {
    const { idle, head, body } = this.#limits;
    if (connection.requests > 0) return connection.bodySince > 0 && now - connection.bodySince > body;
    if (socket.bytesRead > connection.idleBytes) {
      connection.headSince ||= now;
      return now - connection.headSince > head;
    }
    return now - connection.idleSince > idle;
  }
}
