import { LimitExceeded, type Quota } from "../access/quota.js";
import type { Revocation } from "../access/revocation.js";
import type { Connection, ConnectionHost, HttpExchange } from "../http/connection.js";
import type { HttpError } from "../http/http-error.js";
import type { RequestHead } from "../http/request-head.js";
import { MAX_COPIED_BODY } from "../http/response-head.js";
import { RequestRecord } from "../log/request-record.js";
import type { TokenNumbers } from "../metrics/traffic.js";
import type { Copy, NumberedRequest } from "../numbers/numbered-request.js";
import type { UpstreamFailure } from "../redis/failure.js";
import type { Frame } from "../redis/frame.js";
import { NO_ROOM } from "../redis/in-flight-connection.js";
import { CRLF } from "../util/bytes.js";
import { BadRequest } from "./bad-request.js";
import { sizeOf } from "./event-frames.js";
import type { ReplyEncoder } from "./json-encoder.js";
import { LAST_CHUNK, REPLY_SHARE, ReplyBody } from "./reply-body.js";

export const JSON_TYPE = "application/json";
/** Content type of responses and requests in RESP2. */
export const RESP_TYPE = "application/vnd.redis.resp2";

/** Headers of a response that says that no command ran, and that a retry may succeed: after a second. */
export const UNSENT_HEADERS: readonly string[] = ["Warmline-Outcome", "unsent", "Retry-After", "1"];
/** A body of at most this many bytes is read before its request is refused, so that the connection stays usable. */
const MAX_DRAINED_BODY = 64 * 1024;

/** A body is kept twice: as it arrived, and as commands. */
const COPIES = 2;
/** Larger bodies together may use half of the memory for buffers, so that a few of them can't crowd out all others. */
const SMALL_BODY = 64 * 1024;
const LARGE_BODY_SHARE = 1 / 2;
/** Timeout in ms for a body's wait for memory. */
const MEMORY_TIMEOUT = 5_000;
/** The error of a request that does not fit in the memory for buffers. */
export const NO_MEMORY = "ERR the gateway has no memory left for this request; try again later";

const REVOKED = "WRONGPASS the token was removed or changed while the request waited";

/** A client that ends its side within this time after a request, in ms, may still read the response. */
const LAST_REQUEST_WITHIN = 50;

const NOTHING: readonly string[] = [];
/** Header that says that no copy of a numbered request gets another response. */
const FINAL = ["Warmline-Number", "final"];

export type Format = "json" | "base64" | "resp2";

/** The body of a response with an error of the gateway. */
export function jsonError(text: string): Buffer {
  return Buffer.from(`{"error":${JSON.stringify(text)}}`);
}

enum ResponseState {
  Awaited,
  /** The body is being sent. */
  Sending,
  Streaming,
  Over,
}

export interface ExchangeHandler {
  /** Processes a request whose head has arrived. Never throws. */
  handle(exchange: Exchange): void;
  /** An exchange is over. `status` is 0 when it had no response. */
  settled(exchange: Exchange, status: number): void;
  /** Takes note of a request that is not valid HTTP. */
  malformed(error: HttpError): void;
}

/** Frames as chunks of HTTP/1.1: the readers of a channel share them. */
const chunks = new WeakMap<Frame, readonly Buffer[]>();

function chunkOf(frame: Frame, bytes: number): readonly Buffer[] {
  let chunk = chunks.get(frame);
  if (!chunk) {
    const pieces = [Buffer.from(`${bytes.toString(16)}\r\n`), ...frame, CRLF];
    chunk = bytes > MAX_COPIED_BODY ? pieces : [Buffer.concat(pieces)];
    chunks.set(frame, chunk);
  }
  return chunk;
}

export class Exchange implements HttpExchange, Copy {
  format: Format = "json";
  readonly record = new RequestRecord();
  /** What is counted of its token; null without a valid token. */
  tokenNumbers: TokenNumbers | null = null;
  /** The quota that counts the request until it is over; null if its token has no limits of its own. */
  quota: Quota | null = null;
  /** The end of the permissions of its token, at which a long wait ends; null without a token. */
  revocation: Revocation | null = null;
  /** The numbered request that it runs, while that has no response. Null for other requests. */
  numbered: NumberedRequest | null = null;
  /** Further headers of the response, name and value in turn. */
  readonly extraHeaders: string[] = [];
  #state = ResponseState.Awaited;
  #onOver: ((gone: boolean) => void) | null = null;
  #keepOnRevocation: (() => void) | null = null;
  #status = 0;
  /** Bytes of the budget that are given back when it is over. */
  #held = 0;
  /** Whether commands of the request are still in memory, even if it is over. */
  #isRetained = false;
  /** Ends the wait for memory for the body. */
  #stopWaiting: (() => void) | null = null;
  #body: ReplyBody | null = null;

  /** @param startedAt when its head had been read, in ms by the monotonic clock */
  constructor(
    readonly req: RequestHead,
    readonly connection: Connection,
    private readonly host: ConnectionHost,
    private readonly handler: ExchangeHandler,
    readonly startedAt: number,
  ) {}

  handle(): void {
    this.handler.handle(this);
  }

  invalid(error: HttpError): void {
    const { status, message } = error;
    this.handler.malformed(error);
    this.error(status, `ERR ${message}`, status === 503 ? UNSENT_HEADERS : NOTHING);
  }

  /** Whether its client no longer waits for the response. */
  get isOver(): boolean {
    return this.#state === ResponseState.Over;
  }

  /** Whether nobody needs the response: that of a numbered request is kept for its other copies. */
  get gone(): boolean {
    return this.isOver && this.numbered === null;
  }

  /** Whether no client waits for the response, so that commands that were not written to Redis need not be. */
  get abandoned(): boolean {
    return this.isOver && !this.numbered?.isAwaited;
  }

  get draining(): boolean {
    return this.host.draining;
  }

  /** The request's commands are given to the connections to Redis. They are kept until {@link commandsSettled}. */
  sent(): void {
    this.record.sent();
    this.retain();
  }

  /** Counts the bytes that are held until {@link commandsSettled}, even if the client leaves before. */
  retain(): void {
    this.#isRetained = true;
  }

  /** Each command of the request has its reply, or has failed. */
  commandsSettled(): void {
    this.#isRetained = false;
    if (this.isOver) this.#releaseHeld();
  }

  /** Runs `step`. An error that it throws becomes the response, so that it concerns one request alone. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof BadRequest) this.refuse(error.status, error.message, error.headers);
      else if (error instanceof LimitExceeded) this.limit(error);
      else {
        this.host.onFailure(error);
        if (this.#body) this.#body.abort();
        else this.refuse(500, "ERR internal error of the gateway");
      }
    }
  }

  /** Responds. `headers` are further ones, name and value in turn. */
  respond(status: number, type: string, body: Buffer, headers: readonly string[] = NOTHING): void {
    const more = this.#settleNumbered(status, type, body, headers);
    if (this.#state !== ResponseState.Awaited) return;
    this.record.responseBytes = body.length;
    this.#over(status);
    const connection = this.connection;
    const keep = connection.mayContinue;
    const extra = this.extraHeaders.length === 0 ? more : [...more, ...this.extraHeaders];
    const sendsBody = this.req.method !== "HEAD";
    connection.finish(this.host.heads.encode(status, type, keep, extra, body, sendsBody), keep);
  }

  /**
   * Gives the response of a numbered request to its other copies. If it is an error, a header says that no copy gets another one.
   * Returns all headers that belong to the response.
   */
  #settleNumbered(status: number, type: string, body: Buffer, headers: readonly string[]): readonly string[] {
    const { numbered } = this;
    if (!numbered) return headers;
    this.numbered = null;
    const more = status < 400 ? headers : [...headers, ...FINAL];
    numbered.settle(status, type, body, more);
    if (this.isOver && !this.#isRetained) this.#releaseHeld();
    return more;
  }

  /** The response is not kept for other copies of a numbered request. */
  unnumber(): void {
    this.numbered?.unkept();
    this.numbered = null;
    if (this.isOver && !this.#isRetained) this.#releaseHeld();
  }

  refuseNumber(why: string, outcome: "unsent" | "unknown", alone?: number | null): void {
    const more = ["Warmline-Outcome", outcome];
    if (alone === undefined) more.push(...FINAL);
    // This gateway may know later, or the next connection may lead to the other process.
    else if (alone === null) more.push("Retry-After", "1");
    else more.push("Warmline-Alone", String(Math.floor(alone * 1_000)));
    this.error(412, `ERR this numbered request ${why}`, more);
  }

  /** Responds with replies of Redis; with an error if there is no memory to keep them until the client has taken them. */
  reply(status: number, type: string, body: Buffer): void {
    if (this.gone) return;
    const isKept = !this.isOver && body.length > MAX_COPIED_BODY && this.req.method !== "HEAD";
    if (isKept && !this.connection.sender.reserve(body.length, REPLY_SHARE)) this.failure(NO_ROOM);
    else this.respond(status, type, body);
  }

  /**
   * Begins a response. Returns the body to write replies to. Returns null if the client does not read it, or if there is no
   * memory for it and for `reserved` bytes about to be written, in which case that error is the response.
   */
  startBody(status: number, type: string, encoder: ReplyEncoder, reserved = 0): ReplyBody | null {
    this.unnumber();
    if (this.#state !== ResponseState.Awaited) return null;
    const connection = this.connection;
    const chunked = this.#chunked;
    const keep = chunked && connection.mayContinue;
    const head = () => this.host.heads.unmeasured(status, type, keep, chunked, this.extraHeaders);
    if (this.req.method === "HEAD") {
      this.#over(status);
      connection.finish([head()], keep);
      return null;
    }
    const { sender } = connection;
    const body = ReplyBody.create({ encoder, budget: this.host.budget, chunked, sender }, reserved);
    if (!body) {
      this.failure(NO_ROOM);
      return null;
    }
    this.#state = ResponseState.Sending;
    this.#status = status;
    this.#body = body;
    connection.sendBody(head(), body, keep);
    return body;
  }

  /** The body that was begun has been given to the client. */
  bodySent(): void {
    this.record.responseBytes = this.#body!.size;
    this.#over(this.#status);
  }

  error(status: number, text: string, more?: readonly string[]): void {
    this.respond(status, JSON_TYPE, jsonError(text), more);
  }

  /** Responds that a command has no reply of Redis, and whether it may have run. */
  failure(failure: UpstreamFailure): void {
    const { outcome, reason, message } = failure;
    if (outcome === "unknown") this.record.replied();
    if (reason === "unreached") this.error(503, message, ["Warmline-Outcome", "unsent"]);
    else if (outcome === "unsent") this.unsent(message);
    else {
      const isShort = this.draining || reason === "no-room" || reason === "over-budget";
      this.error(reason === "timeout" ? 504 : isShort ? 503 : 502, message, ["Warmline-Outcome", "unknown"]);
    }
  }

  /** Responds that no command ran, and that a retry may succeed. */
  unsent(message = NO_MEMORY): void {
    this.error(503, message, UNSENT_HEADERS);
  }

  /** Responds that the token is over a limit, that nothing was run, and when to try again. */
  limit({ message, retryAfter }: LimitExceeded): void {
    this.refuse(429, `ERR ${message}`, ["Warmline-Outcome", "unsent", "Retry-After", String(retryAfter)]);
  }

  /**
   * Responds with an error, regardless of the body. A short body is read and dropped first, and the connection stays open. Of
   * a long one only enough is read for the response to arrive, then the connection is closed.
   */
  refuse(status: number, text: string, more?: readonly string[]): void {
    const length = this.connection.unread;
    const respond = () => this.error(status, text, more);
    if (length === null || length === 0 || length > MAX_DRAINED_BODY) respond();
    else this.connection.discardBody(respond);
  }

  /**
   * Reads the whole body and calls `done` with it. Refuses a body of more than `max` bytes, or of more than can ever fit in the memory
   * for buffers. The body stays unread until there is memory for it, and is refused if there is not enough in time.
   */
  readBody(max: number, done: (body: Buffer) => void): void {
    const length = this.connection.unread;
    const limit = Math.min(max, this.#maxBody);
    if (length === null) this.#readBody(limit, done, (bytes) => this.hold(COPIES * bytes, LARGE_BODY_SHARE));
    else if (length > limit) this.#tooLarge(limit);
    else {
      const share = length > SMALL_BODY ? LARGE_BODY_SHARE : 1;
      const bytes = COPIES * length;
      const onGranted = (granted: boolean) => {
        if (granted) {
          this.#held += bytes;
          this.#readBody(limit, done);
        } else this.unsent(NO_MEMORY);
      };
      this.#stopWaiting = this.host.budget.whenFree(bytes, share, MEMORY_TIMEOUT, onGranted);
    }
  }

  #readBody(limit: number, done: (body: Buffer) => void, hold?: (bytes: number) => boolean): void {
    let fits = true;
    const holds = hold && ((bytes: number) => (fits = hold(bytes)));
    const onBody = (body: Buffer | null) => {
      if (body) {
        this.record.requestBytes = body.length;
        done(body);
      } else if (fits) this.#tooLarge(limit);
      else this.unsent(NO_MEMORY);
    };
    this.connection.readBody(limit, onBody, holds);
  }

  /** Counts bytes that are kept until the response was sent. Returns false if there is no room for them. */
  hold(bytes: number, share = 1): boolean {
    if (!this.host.budget.take(bytes, share)) return false;
    this.#held += bytes;
    return true;
  }

  /** Returns bytes that were held to the budget, or to a body that takes them over. */
  release(bytes: number, body: ReplyBody | null = null): void {
    // They were returned when the exchange was over.
    if (this.isOver) return;
    this.#held -= bytes;
    if (body) body.takeOver(bytes);
    else this.host.budget.give(bytes);
  }

  /**
   * Calls `listener` once the exchange is over. `gone` is whether the client left before the response was complete. Use
   * it for long waits: from now on a client that ends its side counts as gone, however early it does.
   */
  onOver(listener: (gone: boolean) => void): void {
    if (this.#state === ResponseState.Over) {
      process.nextTick(listener, true);
      return;
    }
    this.#onOver = listener;
    if (this.connection.hasClientEnded) this.destroy();
    else this.#keepOnRevocation = this.revocation?.add(() => this.#revoked()) ?? null;
  }

  #revoked(): void {
    if (this.streaming) {
      this.endStream();
      return;
    }
    if (this.#state !== ResponseState.Awaited) return;
    const listener = this.#onOver;
    this.#onOver = null;
    this.error(401, REVOKED, ["Warmline-Outcome", "unknown"]);
    listener?.(true);
  }

  /** Calls `cancel` when the client goes before the response is complete: see {@link onOver}. */
  onGone(cancel: () => void): void {
    this.onOver((gone) => {
      if (gone) cancel();
    });
  }

  /** Begins a response that is a stream of events. Its connection serves no other request. */
  startStream(): void {
    if (this.#state !== ResponseState.Awaited) return;
    this.#state = ResponseState.Streaming;
    this.connection.startStream(this.host.heads.stream(this.#chunked, this.extraHeaders));
  }

  /** Whether the response is a stream that has begun and not ended. */
  get streaming(): boolean {
    return this.#state === ResponseState.Streaming;
  }

  /** Sends more of the stream. Returns false if the connection was reset, since there is no memory for a reader this slow. */
  stream(frame: Frame): boolean {
    if (!this.streaming) return true;
    const bytes = sizeOf(frame);
    this.record.responseBytes += bytes;
    this.quota?.transferred(bytes);
    return this.connection.stream(this.#chunked ? chunkOf(frame, bytes) : frame);
  }

  /** Ends the stream, and the connection once the reader has taken the rest, or has taken too long. */
  endStream(): void {
    if (!this.streaming) return;
    if (this.#chunked) this.connection.stream([LAST_CHUNK]);
    this.#over(200);
    this.connection.end();
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.abort();
    this.connection.destroy();
  }

  abort(): void {
    if (this.#body) this.record.responseBytes = this.#body.size;
    if (this.#state !== ResponseState.Over) this.#over(this.streaming ? 200 : 0, true);
  }

  /** The client has ended its side: together with its request, because it has no other; or later, giving up. */
  clientEnded(withRequest: boolean): void {
    const requestedAt = Math.max(this.startedAt, this.connection.bodyAt);
    const isSoon = withRequest || performance.now() - requestedAt <= LAST_REQUEST_WITHIN;
    if (this.#onOver || !isSoon) this.destroy();
  }

  /** Clients of HTTP/1.0, which has no chunks, take the end of the connection for the end of the body. */
  get #chunked(): boolean {
    return this.req.minor === 1;
  }

  #over(status: number, gone = false): void {
    this.#stopWaiting?.();
    this.#keepOnRevocation?.();
    if (!this.#isRetained) this.#releaseHeld();
    this.handler.settled(this, status);
    this.#state = ResponseState.Over;
    if (this.#onOver) process.nextTick(this.#onOver, gone);
  }

  #releaseHeld(): void {
    if (this.#held > 0) this.host.budget.give(this.#held);
    this.#held = 0;
  }

  /** The largest body that ever fits in the memory for buffers, in bytes. */
  get #maxBody(): number {
    return Math.floor((this.host.budget.limit * LARGE_BODY_SHARE) / COPIES);
  }

  #tooLarge(limit: number): void {
    const why = limit === this.#maxBody ? ", which is all that fits (setting maxBufferedBytes)" : "";
    this.error(413, `ERR the request is larger than ${limit} bytes${why}`);
  }
}
