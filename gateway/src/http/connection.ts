import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { Exchange, JSON_TYPE } from "../api/exchange.js";
import { jsonError } from "../api/json-reply.js";
import { adopt } from "../util/adopt-socket.js";
import { CR, EMPTY, LF } from "../util/bytes.js";
import { BadRequest } from "./bad-request.js";
import { BodyBuffer } from "./body-buffer.js";
import { ChunkedBody } from "./chunked-body.js";
import type { ConnectionHost } from "./connection-host.js";
import type { Idle } from "./idle-list.js";
import { mayBecomeHead, type RequestHead, readHead } from "./request-head.js";
import { plainAddress } from "./trusted-proxies.js";

/** The longest head of a request, in bytes. */
const MAX_HEAD = 16 * 1_024;
/** Bytes of later requests that are read ahead while one is being processed. */
const READ_AHEAD = 64 * 1_024;
/** How long a connection is read after its last byte was handed to the kernel, in ms: closing could discard that byte. */
const LINGER = 2_000;
/** Bodies are written in slices of this many bytes, so that what a slow reader has taken shows. */
const SLICE = 128 * 1_024;
/** Time in ms after which a body that is being sent lets other requests proceed. */
const SEND_TURN = 4;
/** Heads up to this many bytes are remembered: most clients send the same one again. */
const REMEMBERED = 1_024;
/** Heads up to this many bytes are compared byte by byte. */
const SHORT = 256;

const HEAD_END = Buffer.from("\r\n\r\n");
const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

/** The stage of a connection. */
enum Stage {
  /** Waiting for a request, or reading its head. */
  Head,
  /** Reading the body of a request. */
  Body,
  /** Waiting for the response. */
  Respond,
  /** Sending the body of a response. */
  Send,
  /** Sending events. */
  Stream,
  /** No further request gets a response. Further input is read and dropped. */
  Ending,
}

/** The body of a response, made as the client takes it. */
export interface BodySource {
  /** Returns the next bytes; null after the last; undefined if there are none yet: {@link Connection.send} follows. */
  next(): Buffer | null | undefined;
  /** The connection closed before the last byte. */
  cancel?(): void;
}

/** A body that is there as a whole, in slices. */
class WholeBody implements BodySource {
  #at = 0;

  constructor(readonly bytes: Buffer) {}

  next(): Buffer | null {
    if (this.#at === this.bytes.length) return null;
    const from = this.#at;
    this.#at = Math.min(from + SLICE, this.bytes.length);
    return this.bytes.subarray(from, this.#at);
  }
}

/**
 * One client connection. It parses requests from its bytes and has them processed one after another. A request is not parsed
 * before the response to the previous one is complete.
 */
export class Connection implements Idle {
  before: Idle | null = null;
  after: Idle | null = null;
  /** Time of the last response's end, or of the connection's start, in ms. */
  idleSince: number;
  /** Since when a head that began, or a body, is being waited for, in ms; 0 for neither. */
  waitingSince = 0;
  /** Whether there was no room for this connection: nothing is run for it, and it ends with its first response. */
  refused = false;
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  #client: string | null;
  #stage = Stage.Head;
  /** Number of bytes received and not parsed yet: those of `#input` from `#at` on. */
  #input: Buffer = EMPTY;
  #at = 0;
  #advancing = false;
  #clientEnded = false;
  #exchange: Exchange | null = null;
  /** Bytes of a body of known length still to come. */
  #left = 0;
  #chunked: ChunkedBody | null = null;
  #body: BodyBuffer | null = null;
  /** When the last part of the body came, in ms. */
  #bodyAt = 0;
  #onBody: ((body: Buffer | null) => void) | null = null;
  #source: BodySource | null = null;
  /** Whether another request may follow the response that is being sent. */
  #keep = false;
  #sendsSoon = false;
  /** Time spent on sending in this turn of the event loop, or since the last one that was long, in ms. */
  #sendTime = 0;
  #taken = 0;
  #takenAt = 0;
  /** Bytes of the budget that are given back when the client has taken all that was written. */
  #counted = 0;
  #lastHead: RequestHead | null = null;
  /** Its bytes, the empty line included; none for a long one. */
  #lastBytes: Buffer = EMPTY;

  /**
   * @param accepted a socket from which no bytes were read, or all were put back
   * @param client the address of its client, or null for the socket's other end
   */
  constructor(accepted: Socket, host: ConnectionHost, client: string | null = null) {
    this.#client = client;
    const socket = adopt(accepted, (chunk) => this.#onData(chunk));
    this.#socket = socket;
    this.#host = host;
    this.idleSince = performance.now();
    socket.on("end", this.#onEnd);
    socket.on("drain", () => {
      this.#uncount();
      if (this.#stage === Stage.Head && socket.isPaused()) socket.resume();
      this.#advance();
    });
    // The error does not matter, since `close` follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#exchange?.abort();
      this.#exchange = null;
      this.#stage = Stage.Ending;
      this.#source?.cancel?.();
      this.#source = null;
      this.#giveBack();
      host.closed(this);
    });
  }

  /** Whether a request is being read or processed, or its response is being sent. */
  get isBusy(): boolean {
    return this.#exchange !== null || this.#stage === Stage.Send;
  }

  /** Whether the body of a request, rather than a head, is what is being waited for. */
  get isReadingBody(): boolean {
    return this.#stage === Stage.Body;
  }

  /** The IP address of the client, or of the last proxy before this gateway; empty once the connection is closed. */
  get client(): string {
    this.#client ??= plainAddress(this.#socket.remoteAddress ?? "");
    return this.#client;
  }

  /** When the last part of the body that is being read came, in ms. */
  get bodyAt(): number {
    return this.#bodyAt;
  }

  /** Whether the client has ended its side. */
  get hasClientEnded(): boolean {
    return this.#clientEnded;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Whether it carries events, which have limits of their own. */
  get isStreaming(): boolean {
    return this.#stage === Stage.Stream;
  }

  /** Bytes that the client has not taken yet. */
  get backlog(): number {
    return this.#socket.writableLength;
  }

  /** Whether the client took some of what waits for it in the last `within` ms. */
  progresses(now: number, within: number): boolean {
    const taken = this.#socket.bytesWritten - this.backlog;
    if (this.#taken !== taken) {
      this.#taken = taken;
      this.#takenAt = now;
    }
    return now - this.#takenAt <= within;
  }

  /**
   * Takes bytes of the budget for a body that is about to be sent, until the client has taken it. Returns false, and takes
   * none, if more than this share of the budget would be in use then.
   */
  reserve(bytes: number, share: number): boolean {
    if (!this.#host.budget.take(bytes, share)) return false;
    this.#counted += bytes;
    return true;
  }

  /** Counts what the client has not taken yet in the budget. If there is no room for it, the connection is reset. */
  countBacklog(): void {
    const socket = this.#socket;
    // Corked bytes were not passed to the kernel yet. The source of a body counts its own bytes.
    if (socket.destroyed || socket.writableCorked > 0 || this.#source) return;
    const more = socket.writableLength - this.#counted;
    if (more <= 0) this.#uncount();
    else if (this.#host.budget.take(more)) this.#counted += more;
    else this.abort();
  }

  #uncount(): void {
    if (this.#counted > 0 && !this.#source && this.#socket.writableLength === 0) this.#giveBack();
  }

  #giveBack(): void {
    const bytes = this.#counted;
    if (bytes === 0) return;
    this.#counted = 0;
    this.#host.budget.give(bytes);
  }

  /** Whether so much waits for the client that no further request is begun. */
  get #isBehind(): boolean {
    return this.#socket.writableLength >= this.#socket.writableHighWaterMark;
  }

  /** Ends it now, whatever it is doing. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends it now, so that the client can't take what it has got for a whole response. */
  abort(): void {
    // Without chunks or a length, only a reset shows that the body is incomplete.
    if (this.#socket instanceof TLSSocket) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Ends it after the last byte that was written has left; what still comes is read and dropped for a while. */
  end(): void {
    if (this.#stage === Stage.Ending) return;
    this.#stage = Stage.Ending;
    this.#input = EMPTY;
    this.#at = 0;
    this.#onBody = null;
    this.#body = null;
    const socket = this.#socket;
    socket.end(() => {
      this.#uncount();
      this.#linger();
    });
    if (!this.#clientEnded) socket.resume();
  }

  #linger(): void {
    const socket = this.#socket;
    if (this.#clientEnded || socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), LINGER);
    socket.once("end", () => clearTimeout(timer));
    socket.once("close", () => clearTimeout(timer));
  }

  /** Bytes of the body still to be read, or null if the length is known only at its end. */
  get unread(): number | null {
    return this.#chunked && !this.#chunked.complete ? null : this.#left;
  }

  /** Whether another request can follow the present one. A body that is there in full is skipped for that. */
  get mayContinue(): boolean {
    if (!this.#lastHead!.keepAlive || this.refused || this.#host.draining) return false;
    if (this.#left > 0 && this.#left <= this.#input.length - this.#at) {
      this.#at += this.#left;
      this.#left = 0;
    }
    return this.unread === 0;
  }

  /**
   * Reads the body of the present request. Calls `done` with it; with null if it has more than `max` bytes, or is refused.
   * @param hold called with the bytes about to be allocated; false refuses the body
   */
  readBody(max: number, done: (body: Buffer | null) => void, hold?: (bytes: number) => boolean): void {
    const from = this.#at;
    const to = from + this.#left;
    if (!this.#chunked && this.#left <= max && to <= this.#input.length) {
      this.#at = to;
      this.#left = 0;
      done(this.#input.subarray(from, to));
      return;
    }
    if (this.#lastHead!.expectsContinue && from === this.#input.length) this.#socket.write(CONTINUE);
    this.#stage = Stage.Body;
    this.#body = new BodyBuffer(this.#chunked ? max : Math.min(max, this.#left), hold);
    this.#onBody = done;
    this.waitingSince = performance.now();
    this.#bodyAt = this.waitingSince;
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#advance();
  }

  /** Sends the response to the present request, its head and body. Unless `keep`, the connection ends with it. */
  finish(response: readonly Buffer[], keep: boolean): void {
    this.#exchange = null;
    this.waitingSince = 0;
    const [head, body] = response as [Buffer, Buffer?];
    if (body) this.sendBody(head, new WholeBody(body), keep);
    else {
      this.#socket.write(head);
      this.#responded(keep);
    }
  }

  /** Sends the response to the present request, whose body is taken from `source`. */
  sendBody(head: Buffer, source: BodySource, keep: boolean): void {
    this.#stage = Stage.Send;
    this.#source = source;
    this.#keep = keep;
    this.#takenAt = performance.now();
    this.#socket.cork();
    this.#socket.write(head);
    this.send();
    this.#socket.uncork();
    if (this.#isBehind) this.countBacklog();
  }

  /** Sends more of the body, as much as the client takes now. */
  send = (): void => {
    const socket = this.#socket;
    const source = this.#source;
    if (!source || this.#sendsSoon) return;
    const begun = performance.now();
    let now = begun;
    while (socket.writableLength < SLICE) {
      const part = source.next();
      if (part === undefined) break;
      if (part === null) {
        this.#sent();
        return;
      }
      socket.write(part, this.#onWritten);
      now = performance.now();
      if (this.#sendTime + now - begun > SEND_TURN) {
        this.sendSoon();
        return;
      }
    }
    this.#sendTime += now - begun;
  };

  /** Sends more of the body once other requests have had their turn. */
  sendSoon = (): void => {
    if (this.#sendsSoon) return;
    this.#sendsSoon = true;
    setImmediate(this.#sendMore);
  };

  #sendMore = (): void => {
    this.#sendsSoon = false;
    this.#sendTime = 0;
    this.send();
  };

  #onWritten = (): void => {
    if (this.#stage === Stage.Send && !this.#socket.destroyed) this.send();
    this.#uncount();
  };

  /** The last byte of the body was given to the socket. */
  #sent(): void {
    this.#source = null;
    this.#exchange?.bodySent();
    this.#exchange = null;
    this.waitingSince = 0;
    this.#responded(this.#keep);
  }

  #responded(keep: boolean): void {
    const socket = this.#socket;
    this.idleSince = performance.now();
    if (this.#isBehind) this.countBacklog();
    if (socket.destroyed) return;
    if (!keep) {
      this.end();
      return;
    }
    this.#stage = Stage.Head;
    this.#host.idle(this);
    if (socket.isPaused()) socket.resume();
    if (this.#at < this.#input.length || this.#clientEnded) this.#advance();
  }

  /** Begins a response without end: what the client still sends is dropped. */
  startStream(head: Buffer): void {
    this.#stage = Stage.Stream;
    this.#input = EMPTY;
    this.#at = 0;
    this.#socket.resume();
    this.#socket.write(head);
  }

  /** Sends more of it. */
  stream(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  #onData(chunk: Buffer): void {
    if (this.#stage === Stage.Ending || this.#stage === Stage.Stream) return;
    if (this.#at === this.#input.length) this.#input = chunk;
    else this.#input = Buffer.concat([this.#input.subarray(this.#at), chunk]);
    this.#at = 0;
    this.#advance();
    const isBehind = this.#stage === Stage.Head && this.#socket.writableNeedDrain;
    const waits = this.#stage === Stage.Respond || this.#stage === Stage.Send || isBehind;
    if (waits && this.#input.length - this.#at > READ_AHEAD) this.#socket.pause();
  }

  #onEnd = (): void => {
    this.#clientEnded = true;
    if (this.#stage === Stage.Body || this.#stage === Stage.Stream) this.#socket.destroy();
    else if (this.#stage === Stage.Respond) this.#exchange?.clientEnded();
    else this.#advance();
  };

  #advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    let corked = false;
    try {
      while (this.#step()) {
        // Responses to requests that came together leave together.
        if (!corked && this.#stage === Stage.Head && this.#at < this.#input.length) {
          this.#socket.cork();
          corked = true;
        }
      }
    } catch (error) {
      if (error instanceof BadRequest) this.#refuse(error);
      else {
        this.#host.failed(error);
        this.#socket.destroy();
      }
    } finally {
      this.#advancing = false;
      if (corked) {
        this.#socket.uncork();
        if (this.#isBehind) this.countBacklog();
      }
    }
  }

  #step(): boolean {
    if (this.#stage === Stage.Head) return this.#stepHead();
    if (this.#stage === Stage.Body) return this.#stepBody();
    return false;
  }

  #stepHead(): boolean {
    // Responses that the client does not take: it gets no more of them.
    if (this.#socket.writableNeedDrain) return false;
    const input = this.#input;
    // A line end before a request, which some clients send behind a body, is skipped (RFC 9112, 2.2).
    if (input[this.#at] === CR && input[this.#at + 1] === LF) this.#at += 2;
    const from = this.#at;
    if (from === input.length) {
      this.#input = EMPTY;
      this.#at = 0;
      if (this.#clientEnded) this.end();
      return false;
    }
    const same = this.#endOfSameHead(input, from);
    const end = same > 0 ? same : input.indexOf(HEAD_END, from);
    if ((end < 0 ? input.length : end) - from > MAX_HEAD) throw tooLong(input, from);
    if (end < 0) {
      this.#waitForHead(input, from);
      return false;
    }
    const head = same > 0 ? this.#lastHead! : this.#headIn(input, from, end);
    this.#at = end + HEAD_END.length;
    this.#left = head.length ?? 0;
    this.#chunked = head.length === null ? new ChunkedBody() : null;
    this.#stage = Stage.Respond;
    this.waitingSince = 0;
    const exchange = new Exchange(head, this, this.#host, performance.now());
    this.#exchange = exchange;
    this.#host.busy(this);
    this.#host.handle(exchange);
    return true;
  }

  #waitForHead(input: Buffer, from: number): void {
    if (!mayBecomeHead(input, from, input.length)) {
      throw new BadRequest("ERR the request is not valid HTTP: the request line is malformed");
    }
    if (this.#clientEnded) this.#socket.destroy();
    else if (this.waitingSince === 0) {
      this.waitingSince = performance.now();
      this.#host.busy(this);
    }
  }

  /** Where the head that begins there ends, if it is the same as the last one, which needs no reading; else -1. */
  #endOfSameHead(input: Buffer, from: number): number {
    const last = this.#lastBytes;
    const end = from + last.length;
    if (last.length === 0 || end > input.length) return -1;
    // Byte by byte where that beats a call into native code.
    if (last.length > SHORT) return last.compare(input, from, end) === 0 ? end - HEAD_END.length : -1;
    for (let i = 0; i < last.length; i++) if (last[i] !== input[from + i]) return -1;
    return end - HEAD_END.length;
  }

  #headIn(input: Buffer, from: number, end: number): RequestHead {
    const head = readHead(input, from, end);
    this.#lastHead = head;
    const next = end + HEAD_END.length;
    this.#lastBytes = next - from <= REMEMBERED ? Buffer.from(input.subarray(from, next)) : EMPTY;
    return head;
  }

  #stepBody(): boolean {
    const body = this.#body!;
    const from = this.#at;
    if (this.#chunked) this.#at = this.#chunked.read(this.#input, from, body);
    else {
      this.#at = Math.min(this.#input.length, from + this.#left);
      this.#left -= this.#at - from;
      body.append(this.#input, from, this.#at);
    }
    this.#bodyAt = performance.now();
    if (this.unread !== 0 && !body.overflown && !body.refused) {
      if (this.#clientEnded) this.#socket.destroy();
      return false;
    }
    const onBody = this.#onBody!;
    this.#onBody = null;
    this.#body = null;
    this.#stage = Stage.Respond;
    this.waitingSince = 0;
    onBody(body.overflown || body.refused ? null : body.whole());
    return true;
  }

  /** Responds to what can't be understood, and ends the connection: where the next request would begin is not known. */
  #refuse({ status, message }: BadRequest): void {
    if (this.#exchange) {
      this.#exchange.error(status, message);
      return;
    }
    this.#host.busy(this);
    this.finish(this.#host.heads.encode(status, JSON_TYPE, false, [], jsonError(message), true), false);
  }
}

/** The head is too long: because of its first line, or of all others. */
function tooLong(input: Buffer, from: number): BadRequest {
  const line = input.indexOf(LF, from);
  if (line < 0 || line - from > MAX_HEAD) return new BadRequest("ERR the request target is too long", 414);
  return new BadRequest("ERR the request head is too large", 431);
}
