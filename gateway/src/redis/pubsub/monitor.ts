import { command } from "../../resp/command.js";
import { isError, lineOf } from "../../resp/replies.js";
import { CLOSING, UpstreamFailure } from "../failure.js";
import type { Frame } from "../frame.js";
import { RedisSocket, type RedisSocketOptions } from "../redis-socket.js";
import type { Cancel } from "../upstream.js";
import type { Listener } from "./listener.js";

const MONITOR = command("MONITOR");
/** Commands whose arguments hold passwords, or may. */
const SECRET = new Set(["ACL", "AUTH", "CONFIG", "HELLO", "MIGRATE", "SENTINEL"]);
/** The name of a command in {@link SECRET} ends within this many bytes of its line, after the time and the client's address. */
const MAX_HEAD = 1_024;
const REDACTED = Buffer.from(' "(redacted)"');

/**
 * Passes on the lines of MONITOR, over one connection for all listeners. The connection is closed with the last listener,
 * since MONITOR slows the server down. When the connection is lost, all listeners end.
 * A line that does not fit in memory is reported as a gap.
 */
export class Monitor {
  readonly #listeners = new Set<Listener>();
  #connection: RedisSocket | null = null;
  #up = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param encode encodes a line for listeners */
  constructor(
    private readonly options: RedisSocketOptions,
    private readonly encode: (line: Buffer) => Frame,
  ) {}

  /** Connections open now: one or none. */
  get connections(): number {
    return this.#up ? 1 : 0;
  }

  /** Whether it has no listeners, and so no connection. */
  get isUnused(): boolean {
    return this.#listeners.size === 0;
  }

  /** The listener is never called before this returns. */
  add(listener: Listener): Cancel {
    this.#listeners.add(listener);
    if (this.#closed) setImmediate(() => this.#end(CLOSING));
    else if (!this.#connection) this.#open();
    else if (this.#up) setImmediate(() => this.#listeners.has(listener) && listener.onReady());
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#drop();
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
        this.#timer = setTimeout(onTimeout, this.options.connectTimeout);
      },
      onReply: (reply) => this.#onReply(reply),
      onDown: (reason) => this.#unreachable(`Redis could not be reached: ${reason}`),
    });
    this.#connection = connection;
    connection.open();
  }

  #onReply(reply: Buffer | null): void {
    if (this.#up) {
      const encoded = reply && this.encode(redacted(reply.subarray(1, -2)));
      for (const listener of this.#listeners) {
        if (encoded) listener.onMessage(encoded);
        else listener.onGap();
      }
      return;
    }
    clearTimeout(this.#timer);
    if (reply && isError(reply)) this.#end(lineOf(reply));
    else {
      this.#up = true;
      for (const listener of this.#listeners) listener.onReady();
    }
  }

  #unreachable(message: string): void {
    this.#end(new UpstreamFailure("unreachable", message));
  }

  #end(problem: string | UpstreamFailure): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
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
