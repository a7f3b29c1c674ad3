import type { Duplex } from "node:stream";
import type { Command } from "./command.js";
import { type FailureReason, type Receiver, UpstreamFailure } from "./failure.js";
import { Fifo } from "./fifo.js";
import { Framer, MalformedReply } from "./framer.js";

/** Up to this many bytes the commands of one turn are copied together; beyond, they are written as they are. */
const COPY_LIMIT = 64 * 1024;
const MINUS = 0x2d;
const FIRST_BACKOFF = 50;
const LONGEST_BACKOFF = 2_000;
/** A connection that held this long, in ms, is replaced without delay. */
const STEADY = 1_000;

/** What is counted over the life of an upstream. */
export interface PipeCounters {
  /** Connections to Redis that were opened and answered. */
  opened: number;
  /** Connections to Redis that ended other than by being closed here. */
  lost: number;
  /** Commands written. */
  commands: number;
  /** Commands that got no reply in time, written or not. */
  timeouts: number;
}

/** How one connection to Redis is made and kept. */
export interface PipeOptions {
  readonly connect: () => Duplex;
  /** Commands that each new connection must have answered without an error before any other is sent. */
  readonly handshake: readonly Command[];
  /** How long a command may take from being given to being answered, in ms. */
  readonly timeout: number;
  /** Commands that may be waiting or unanswered before more are refused. */
  readonly maxPending: number;
  /** The largest reply passed on, in bytes. */
  readonly maxReply: number;
  /** Whether to connect again after the connection was lost; otherwise the pipe is closed then. */
  readonly reconnect: boolean;
  readonly counters: PipeCounters;
}

interface Entry {
  readonly command: Command;
  readonly tag: number;
  readonly deadline: number;
  /** Null once the command was given up; its reply is then consumed in its place. */
  receiver: Receiver | null;
}

/**
 * One connection to Redis shared by many commands. All commands of a turn of the event loop go out in one
 * write, replies come back in order. A command is written once at most: when the connection is lost, those
 * written are unknown, those not yet written wait for the next connection, and one whose time is over is
 * never written.
 */
export class Pipe {
  readonly #options: PipeOptions;
  readonly #waiting = new Fifo<Entry>();
  readonly #written = new Fifo<Entry>();
  #socket: Duplex | null = null;
  #framer: Framer;
  /** Handshake replies still to come; null while there is no connection to count them on. */
  #handshake: number | null = null;
  #ready = false;
  #blocked = false;
  #flushing = false;
  #closed = false;
  #attempts = 0;
  #upSince = 0;
  #trouble = "no connection to Redis yet";
  #lastByte = 0;
  /** Entries at the head of `#written` that were given up already. */
  #overdue = 0;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #connecting: NodeJS.Timeout | undefined;
  /** Called once when the pipe closes, however that came about. */
  onClose: (() => void) | undefined;

  constructor(options: PipeOptions) {
    this.#options = options;
    this.#framer = new Framer(options.maxReply);
  }

  /** Whether the connection is up. */
  get ready(): boolean {
    return this.#ready;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Commands waiting or unanswered, those given up included. */
  get pending(): number {
    return this.#waiting.size + this.#written.size;
  }

  /** What is wrong with the connection, in words, while it is not ready. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Starts to connect, if there is neither a connection nor an attempt at one. */
  open(): void {
    if (!this.#socket && !this.#closed && !this.#retry) this.#connect();
  }

  /**
   * Sends commands in their order on this connection. `extra` is how much longer than usual, in ms, the
   * command may take; tags count up from `tag`.
   */
  send(commands: readonly Command[], receiver: Receiver, tag = 0, extra?: (index: number) => number): void {
    const refusal = this.#refusal();
    if (refusal) {
      for (let i = 0; i < commands.length; i++) receiver.onFailure(refusal, tag + i);
      return;
    }
    const deadline = performance.now() + this.#options.timeout;
    for (let i = 0; i < commands.length; i++) {
      this.#waiting.push({
        command: commands[i]!,
        tag: tag + i,
        deadline: extra ? deadline + extra(i) : deadline,
        receiver,
      });
    }
    this.#arm();
    if (this.#ready) this.#schedule();
    else this.open();
  }

  /** Ends the connection. What was written is unknown, what was not is unsent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#drop("lost", "the connection to Redis was closed");
    this.#failWaiting(new UpstreamFailure("closing", "the connection to Redis was closed"));
    clearTimeout(this.#timer);
    this.onClose?.();
  }

  #refusal(): UpstreamFailure | null {
    if (this.#closed) return new UpstreamFailure("closing", "the connection to Redis was closed");
    if (this.pending < this.#options.maxPending) return null;
    return new UpstreamFailure("full", "too many commands are waiting for Redis");
  }

  #connect(): void {
    const { connect, handshake, timeout, maxReply } = this.#options;
    let socket: Duplex;
    try {
      socket = connect();
    } catch (error) {
      this.#failed(reasonOf(error));
      return;
    }
    this.#socket = socket;
    this.#framer = new Framer(maxReply);
    this.#handshake = handshake.length;
    this.#blocked = false;
    let trouble = "it ended the connection";
    const over = () => {
      if (this.#socket === socket) this.#lost(trouble);
    };
    const onReply = (reply: Buffer | null) => {
      if (this.#socket === socket) this.#reply(reply);
    };
    socket.on("error", (error) => {
      trouble = reasonOf(error);
    });
    socket.on("end", over);
    socket.on("close", over);
    socket.on("drain", () => {
      this.#blocked = false;
      if (this.#ready) this.#schedule();
    });
    socket.on("data", (chunk: Buffer) => {
      if (this.#socket !== socket) return;
      this.#lastByte = performance.now();
      try {
        this.#framer.push(chunk, onReply);
      } catch (error) {
        if (!(error instanceof MalformedReply)) throw error;
        if (this.#socket === socket) this.#lost(`it sent ${error.message}`);
      }
    });
    this.#connecting = setTimeout(() => {
      if (this.#socket === socket) this.#lost("it did not answer in time");
    }, timeout);
    if (handshake.length === 0) this.#up();
    else socket.write(Buffer.concat(handshake.map((command) => command.bytes)));
  }

  #up(): void {
    clearTimeout(this.#connecting);
    this.#handshake = null;
    this.#ready = true;
    this.#upSince = performance.now();
    this.#options.counters.opened++;
    this.#schedule();
  }

  #reply(reply: Buffer | null): void {
    if (this.#handshake !== null) {
      const { handshake } = this.#options;
      const asked = handshake[handshake.length - this.#handshake]!;
      if (reply?.[0] === MINUS && !isUserWithoutPing(asked, reply)) {
        this.#lost(`it answered ${reply.toString("utf8", 1, reply.length - 2)}`);
      } else if (--this.#handshake === 0) this.#up();
      return;
    }
    const entry = this.#written.shift();
    if (!entry) {
      this.#lost("it sent a reply that nobody asked for");
      return;
    }
    if (this.#overdue > 0) this.#overdue--;
    if (!entry.receiver) return;
    if (reply) entry.receiver.onReply(reply, entry.tag);
    else {
      const text = "the reply of Redis is larger than the gateway passes on";
      entry.receiver.onFailure(new UpstreamFailure("too-large", text), entry.tag);
    }
  }

  #schedule(): void {
    if (this.#flushing || this.#blocked) return;
    this.#flushing = true;
    // After the poll phase: by then every request that was readable in this turn has been read.
    setImmediate(this.#flush);
  }

  #flush = (): void => {
    this.#flushing = false;
    const socket = this.#socket;
    if (!this.#ready || !socket || this.#blocked) return;
    const chunks: Buffer[] = [];
    let total = 0;
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) {
      if (!entry.receiver) continue;
      if (entry.receiver.abandoned) {
        entry.receiver.onFailure(new UpstreamFailure("closing", "nobody waits for the reply"), entry.tag);
        continue;
      }
      this.#written.push(entry);
      chunks.push(entry.command.bytes);
      total += entry.command.bytes.length;
    }
    if (chunks.length === 0) return;
    this.#options.counters.commands += chunks.length;
    if (chunks.length === 1) this.#blocked = !socket.write(chunks[0]);
    else if (total <= COPY_LIMIT) this.#blocked = !socket.write(Buffer.concat(chunks, total));
    else {
      socket.cork();
      for (const chunk of chunks) this.#blocked = !socket.write(chunk);
      socket.uncork();
    }
  };

  /** One timer serves all: deadlines never decrease along the queues. */
  #arm(): void {
    if (this.#timer) return;
    let due = Number.POSITIVE_INFINITY;
    if (this.#overdue > 0) due = this.#written.peek()!.deadline + this.#options.timeout;
    const next = this.#written.peek(this.#overdue) ?? this.#waiting.peek();
    if (next) due = Math.min(due, next.deadline);
    if (due === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(1, Math.ceil(due - performance.now())), 0x7fffffff);
    // After one more poll: when this process itself was held up, replies in time may lie unread.
    this.#timer = setTimeout(() => setImmediate(this.#expire), wait);
  }

  #expire = (): void => {
    this.#timer = undefined;
    if (this.#closed) return;
    const now = performance.now();
    const failed: [Receiver, UpstreamFailure, number][] = [];
    for (let entry = this.#written.peek(this.#overdue); entry && entry.deadline <= now; ) {
      if (entry.receiver) {
        failed.push([
          entry.receiver,
          new UpstreamFailure("timeout", "Redis did not answer in time"),
          entry.tag,
        ]);
      }
      entry.receiver = null;
      this.#overdue++;
      entry = this.#written.peek(this.#overdue);
    }
    for (let entry = this.#waiting.peek(); entry && entry.deadline <= now; entry = this.#waiting.peek()) {
      this.#waiting.shift();
      const text = this.#ready ? "Redis takes no commands at present" : this.#unreachable();
      if (entry.receiver) failed.push([entry.receiver, new UpstreamFailure("unreachable", text), entry.tag]);
    }
    this.#options.counters.timeouts += failed.length;
    for (const [receiver, failure, tag] of failed) receiver.onFailure(failure, tag);
    // A connection that stays silent a whole timeout beyond its oldest command is dead without saying so.
    const silent = now - this.#lastByte > this.#options.timeout;
    if (this.#overdue > 0 && silent && this.#written.peek()!.deadline + this.#options.timeout <= now) {
      this.#lost("it went silent");
    }
    if (!this.#closed) this.#arm();
  };

  #unreachable(): string {
    return `Redis could not be reached: ${this.#trouble}`;
  }

  #lost(trouble: string): void {
    const steady = this.#ready && performance.now() - this.#upSince >= STEADY;
    if (this.#ready) {
      this.#options.counters.lost++;
      this.#attempts = 0;
    }
    this.#drop("lost", `the connection to Redis was lost: ${trouble}`);
    this.#failed(trouble, steady);
  }

  /** Forgets the connection and everything written on it. */
  #drop(reason: FailureReason, message: string): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#ready = false;
    this.#handshake = null;
    this.#overdue = 0;
    clearTimeout(this.#connecting);
    socket?.destroy();
    if (this.#written.size === 0) return;
    const failure = new UpstreamFailure(reason, message);
    const entries: Entry[] = [];
    for (let entry = this.#written.shift(); entry; entry = this.#written.shift()) entries.push(entry);
    for (const entry of entries) entry.receiver?.onFailure(failure, entry.tag);
  }

  #failed(trouble: string, immediately = false): void {
    this.#trouble = trouble;
    if (this.#closed) return;
    if (!this.#options.reconnect) {
      this.#failWaiting(new UpstreamFailure("unreachable", this.#unreachable()));
      this.close();
      return;
    }
    const longest = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** this.#attempts++);
    const wait = immediately ? 0 : longest * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#connect();
    }, wait);
  }

  #failWaiting(failure: UpstreamFailure): void {
    const entries: Entry[] = [];
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) entries.push(entry);
    for (const entry of entries) entry.receiver?.onFailure(failure, entry.tag);
  }
}

/** The connection is up; this user just may not use PING. */
export function isUserWithoutPing(asked: Command, reply: Buffer): boolean {
  return asked.name === "PING" && reply.toString("latin1", 1, 8) === "NOPERM ";
}

/** Why a connection failed, in few words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message ?? "it failed";
}
