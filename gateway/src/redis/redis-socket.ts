import type { OnReadOpts } from "node:net";
import type { Duplex } from "node:stream";
import { type Command, command } from "../resp/command.js";
import { type DropReason, Framer, type LargeReply, MalformedReply } from "../resp/framer.js";
import { isError, lineOf } from "../resp/replies.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { COLON } from "../util/bytes.js";
import { inChunks } from "../util/socket-chunks.js";
import type { Activity } from "./activity.js";
import type { UpstreamCounters } from "./counters.js";
import type { Credentials } from "./credentials/credentials.js";
import { authErrorOf, type Login } from "./credentials/login.js";
import type { Reachability } from "./reachability.js";
import { tlsReasonOf } from "./redis-tls.js";
import { refusalOf } from "./refusal.js";

/** Command of a handshake that requests the connection's id at the server. It may fail for a user that may not run it. */
export const CLIENT_ID = command("CLIENT", "ID");

/** Command of a handshake that switches to RESP3. It may fail: see {@link RedisSocket.isResp3}. */
export const HELLO_3 = command("HELLO", "3");

/** Last commands of a handshake, which tell a {@link ConnectionWatch} the server reached. They may fail. */
const IDENTIFY = ["server", "replication", "cluster"].map((section) => command("INFO", section));

/** Keeps connections at the server that their address leads to. */
export interface ConnectionWatch {
  /**
   * Takes a new connection. Returns why it may not be used, or null.
   * @param info the replies to {@link IDENTIFY}
   */
  up(connection: RedisSocket, info: string): string | null;
  down(connection: RedisSocket): void;
}

export interface RedisSocketOptions {
  readonly connect: (onRead?: OnReadOpts) => Duplex;
  /** Commands sent first, at least one. All must get replies without an error before any other command is sent. */
  readonly handshake: readonly Command[];
  /** Credentials that the connection signs in with before the handshake. Default: none. */
  readonly credentials?: Credentials | undefined;
  /** Closes connections while Redis is not used. Default: they stay open. */
  readonly activity?: Activity | undefined;
  /** Timeout in ms for connecting and the handshake together, including the wait for credentials. */
  readonly connectTimeout: number;
  /** The largest reply passed on, in bytes. */
  readonly maxReplySize: number;
  /** The budget for large replies that are kept whole. Default: no limit. */
  readonly budget?: BufferBudget | undefined;
  /** Whether replies may be RESP3. Default: false. */
  readonly resp3?: boolean | undefined;
  /** Adds advice to an error reply. Default: nothing is added. */
  readonly explain?: ((reply: Buffer) => Buffer) | undefined;
  readonly counters: UpstreamCounters;
  /** Records the outcome of the attempt to connect. Default: it is not recorded. */
  readonly reachability?: Reachability | undefined;
  /**
   * Gets the connection. With a watch, a server that refuses commands for now, as while it loads its data, counts as up: each command gets
   * the refusal. Default: no watch.
   */
  readonly watch?: ConnectionWatch | undefined;
}

/** Callbacks of a {@link RedisSocket}. They are never called before {@link RedisSocket.open} returns. */
export interface RedisSocketHandler {
  /** The connection is up: commands may be written. */
  onUp(): void;
  /** The next reply in order; null stands for one that was dropped, for this reason. */
  onReply(reply: Buffer | null, dropReason: DropReason): void;
  /** A large reply has begun, with this byte. Returns the object that takes it, or null to get it whole. */
  onLarge?(first: number, size: number): LargeReply | null;
  /** Called when written bytes have left the buffer, so that more may be written. */
  onDrain?(): void;
  /**
   * The credentials have changed since the connection was signed in, and it is up. The handler sends AUTH, and reports a refusal
   * to the credentials. Without this method the connection stays signed in as it was.
   */
  onLogin?(login: Login): void;
  /** The address leads to another server: replies in flight may still arrive here. Default: the connection is dropped. */
  onLeave?(): void;
  /** The connection was lost or could not be opened. Called once, and not after {@link RedisSocket.close}. */
  onDown(reason: string): void;
}

/** One connection to Redis, from its first byte to its last. It never reconnects. */
export class RedisSocket {
  readonly #framer: Framer;
  #socket: Duplex | null = null;
  /** The first commands, up to the handshake. Null while credentials are awaited. */
  #greeting: readonly Command[] | null = null;
  /** Number of replies to the first commands so far. */
  #greeted = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopRenewing: (() => void) | undefined;
  #ended = false;
  /** The replies to {@link IDENTIFY}. */
  #info = "";
  /** When the connection came up, or null. */
  upSince: number | null = null;
  /** The connection's id at the server, if {@link CLIENT_ID} was in the handshake, else null. */
  clientId: string | null = null;
  /** The login that the connection is signed in with, if it comes from credentials, else null. */
  login: Login | null = null;
  /** Whether {@link HELLO_3} was in the handshake and succeeded. */
  isResp3 = false;
  /** Whether writing has to wait until what was written has gone out. */
  blocked = false;
  /** Whether reading is paused. */
  paused = false;
  /** When bytes were last received, in ms by the monotonic clock. */
  receivedAt = 0;

  constructor(
    private readonly options: RedisSocketOptions,
    private readonly handler: RedisSocketHandler,
  ) {
    this.#framer = new Framer(options.maxReplySize, options.budget, options.resp3);
  }

  /** Connects, and sends the handshake. */
  open(): void {
    const { connect, handshake, credentials, connectTimeout } = this.options;
    let socket: Duplex;
    try {
      socket = connect(inChunks(this.#onData));
    } catch (error) {
      process.nextTick(() => this.drop(reasonOf(error)));
      return;
    }
    this.#socket = socket;
    let reason = "the connection was closed";
    const over = () => this.drop(reason);
    socket.on("error", (error) => {
      reason = reasonOf(error);
    });
    socket.on("end", over);
    socket.on("close", over);
    socket.on("drain", () => {
      this.blocked = false;
      if (this.upSince !== null && !this.#ended) this.handler.onDrain?.();
    });
    socket.on("data", this.#onData);
    const onTimeout = () => this.drop(this.#greeting ? "no reply in time" : credentials!.delay);
    this.#timer = setTimeout(onTimeout, connectTimeout);
    if (!credentials) this.#greet(handshake);
    else {
      const signIn = (login: Login) => {
        this.login = login;
        this.#greet([login.auth, ...handshake]);
      };
      credentials.get().then(signIn, (error: Error) => this.drop(error.message));
    }
  }

  #greet(commands: readonly Command[]): void {
    if (this.#ended) return;
    this.#greeting = this.options.watch ? [...commands, ...IDENTIFY] : commands;
    this.#socket!.write(Buffer.concat(this.#greeting.map((command) => command.bytes)));
  }

  /** Writes chunks of `total` bytes at once. */
  write(chunks: readonly Buffer[], total: number): void {
    const socket = this.#socket!;
    if (chunks.length === 1) this.blocked = !socket.write(chunks[0]);
    else if (total <= COPY_LIMIT) this.blocked = !socket.write(Buffer.concat(chunks, total));
    else {
      socket.cork();
      for (const chunk of chunks) this.blocked = !socket.write(chunk);
      socket.uncork();
    }
  }

  /** Sends a command, once the connection is up. Commands of one iteration of the event loop are written together. */
  send(command: Command): void {
    this.options.counters.commands++;
    const socket = this.#socket!;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(command.bytes);
  }

  /** Stops reading until {@link resume}. Bytes already read are still handed on. */
  pause(): void {
    this.paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.receivedAt = performance.now();
    if (!this.#ended) this.#socket?.resume();
  }

  /** Called when the address leads to another server. */
  leave(): void {
    if (this.handler.onLeave) this.handler.onLeave();
    else this.drop("the address leads to another server");
  }

  /** Closes the connection without calling `onDown`. */
  close(): void {
    this.#ended = true;
    this.options.watch?.down(this);
    clearTimeout(this.#timer);
    this.#stopRenewing?.();
    this.#framer.close();
    this.#socket?.destroy();
  }

  #onData = (chunk: Buffer): void => {
    if (this.#ended) return;
    this.receivedAt = performance.now();
    try {
      this.#framer.push(chunk, this);
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
      this.drop(`malformed reply: ${error.message}`);
    }
  };

  /** Called by the framer. */
  onLarge(first: number, size: number): LargeReply | null {
    return this.upSince !== null && !this.#ended ? (this.handler.onLarge?.(first, size) ?? null) : null;
  }

  /** Called by the framer. */
  onReply(reply: Buffer | null): void {
    // One reply may have ended the connection while others are in the same chunk.
    if (this.#ended) return;
    if (this.upSince !== null) this.handler.onReply(reply, this.#framer.dropReason);
    else this.#onGreeted(reply);
  }

  /** Takes a reply to the handshake. With the last one the connection is up. */
  #onGreeted(reply: Buffer | null): void {
    const { credentials, counters, reachability, watch } = this.options;
    if (!this.#greeting) {
      // A server at its limit of clients sends an error before it gets a command.
      this.drop(reply && isError(reply) ? `it replied ${lineOf(reply)}` : "a reply without a command");
      return;
    }
    const sent = this.#greeting[this.#greeted++]!;
    if (sent === CLIENT_ID) {
      if (reply?.[0] === COLON) this.clientId = lineOf(reply);
    } else if (sent === HELLO_3) this.isResp3 = reply !== null && !isError(reply);
    else if (IDENTIFY.includes(sent)) this.#info += reply?.toString("latin1") ?? "";
    else if (reply && isError(reply) && !this.#isUp(sent, reply)) {
      const error = authErrorOf(reply);
      if (this.login && sent === this.login.auth) credentials!.refused(this.login, error);
      this.drop(`it replied ${error}`);
      return;
    }
    if (this.#greeted < this.#greeting.length) return;
    clearTimeout(this.#timer);
    counters.opened++;
    const refusal = watch?.up(this, this.#info) ?? null;
    if (refusal !== null) {
      this.close();
      this.handler.onDown(refusal);
      return;
    }
    reachability?.up();
    this.upSince = performance.now();
    this.handler.onUp();
    if (!this.#ended && this.login && this.handler.onLogin)
      this.#stopRenewing = credentials!.onChange(this.login, (login) => this.handler.onLogin!(login));
  }

  /** Whether an error in the handshake leaves the connection up: this user may not use PING, or Redis refuses it for now. */
  #isUp({ name }: Command, reply: Buffer): boolean {
    if (name !== "PING") return false;
    const isDenied = reply.toString("latin1", 1, 8) === "NOPERM ";
    return isDenied || (this.options.watch !== undefined && refusalOf(reply, null) !== null);
  }

  /** Ends the connection as lost, for this reason. */
  drop(reason: string): void {
    if (this.#ended) return;
    const { counters, reachability } = this.options;
    if (this.upSince !== null) counters.lost++;
    // Without a socket there was no address to connect to yet.
    else if (this.#socket) reachability?.down(reason);
    this.close();
    this.handler.onDown(reason);
  }
}

/** Commands of one write are copied together up to this many bytes in all. Above it, they are written one by one. */
const COPY_LIMIT = 64 * 1024;

/** Returns a short reason why a connection failed. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? (message ?? "unknown error") : tlsReasonOf(code);
}
