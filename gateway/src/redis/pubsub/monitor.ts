import { command } from "../../resp/command.js";
import { isError, lineOf } from "../../resp/replies.js";
import { CLOSING, UpstreamFailure } from "../failure.js";
import { RedisSocket } from "../redis-socket.js";
import type { Cancel, ConnectionOptions } from "../upstream.js";
import { Broadcast } from "./broadcast.js";
import type { DeliveryOptions } from "./delivery-queue.js";
import type { Listener } from "./listener.js";

const MONITOR = command("MONITOR");
/** Commands whose arguments hold passwords, or may. */
const SECRET = new Set(["ACL", "AUTH", "CONFIG", "HELLO", "MIGRATE", "SENTINEL"]);
/** The name of a command in {@link SECRET} ends within this many bytes of its line, after the time and the client's address. */
const MAX_HEAD = 1_024;
const REDACTED = Buffer.from(' "(redacted)"');

/**
 * Passes on the lines of MONITOR, over one connection for all listeners, in turns with other work. The connection is closed with the last listener,
 * since MONITOR slows the server down. When the connection is lost, all listeners end.
 * A line that does not fit in memory is reported as a gap.
 */
export class Monitor {
  readonly #broadcast: Broadcast;
  #connection: RedisSocket | null = null;
  #up = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: ConnectionOptions & DeliveryOptions) {
    this.#broadcast = new Broadcast(options);
  }

  /** Connections open now: one or none. */
  get connections(): number {
    return this.#up ? 1 : 0;
  }

  /** Whether it has no listeners, and so no connection. */
  get isUnused(): boolean {
    return this.#broadcast.isEmpty;
  }

  /** The listener is never called before this returns. */
  add(listener: Listener): Cancel {
    const cancel = this.#broadcast.add(listener);
    if (this.#closed) setImmediate(() => this.#end(CLOSING));
    else if (!this.#connection) this.#open();
    else if (this.#up) setImmediate(() => this.#broadcast.listeners.includes(listener) && listener.onReady());
    return () => {
      cancel();
      if (this.isUnused) this.#drop();
    };
  }

  close(): void {
    this.#closed = true;
    this.#end(CLOSING);
  }

  #open(): void {
    const connection = new RedisSocket(this.options, {
      onUp: () => {
        connection.send(MONITOR);
        const onTimeout = () => this.#unreachable("Redis did not reply to MONITOR in time");
        this.#timer = setTimeout(onTimeout, this.options.timeout);
      },
      onReply: (reply) => this.#onReply(reply),
      onDown: (reason) => this.#unreachable(`Redis could not be reached: ${reason}`),
    });
    this.#connection = connection;
    connection.open();
  }

  #onReply(reply: Buffer | null): void {
    if (this.#up) {
      if (reply) this.#broadcast.line(redacted(reply.subarray(1, -2)));
      else this.#broadcast.gap();
      return;
    }
    clearTimeout(this.#timer);
    if (reply && isError(reply)) this.#end(lineOf(reply));
    else {
      this.#up = true;
      for (const listener of this.#broadcast.listeners) listener.onReady();
    }
  }

  #unreachable(message: string): void {
    this.#end(new UpstreamFailure("unreachable", message));
  }

  #end(problem: string | UpstreamFailure): void {
    const listeners = this.#broadcast.clear();
    this.#drop();
    for (const listener of listeners) listener.onEnd(problem);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#connection?.close();
    this.#connection = null;
    this.#up = false;
  }
}

/** A line such as `1339518083.107412 [0 127.0.0.1:60866] "keys" "*"`, without what may be a password. */
function redacted(line: Buffer): Buffer {
  const head = line.toString("latin1", 0, MAX_HEAD);
  const name = head.indexOf('] "') + 3;
  const end = head.indexOf('"', name);
  if (name < 3 || end < 0 || end + 1 === line.length) return line;
  return SECRET.has(head.slice(name, end).toUpperCase())
    ? Buffer.concat([line.subarray(0, end + 1), REDACTED])
    : line;
}
