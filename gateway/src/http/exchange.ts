import type { IncomingMessage, ServerResponse } from "node:http";
import type { UpstreamFailure } from "../upstream/failure.js";
import { VERSION } from "../version.js";
import { BadRequest } from "./bad-request.js";
import type { Connections } from "./connections.js";
import { jsonError } from "./json-reply.js";

/** Content type of JSON answers. */
export const JSON_TYPE = "application/json";
/** Content type of answers and requests in RESP2. */
export const RESP_TYPE = "application/vnd.redis.resp2";

/** Seconds to wait before trying again, where waiting helps. */
const RETRY_AFTER = "1";
/** Opaque to clients. One server's writes are always seen by its reads, so that it never changes. */
const SYNC_TOKEN = "0";
/** Bodies declared to be this small are read to their end before a refusal, so that the connection stays usable. */
const WORTH_READING = 64 * 1024;
/** How long a refused body is still read, in ms: closing at once could destroy the answer on its way. */
const LINGER = 2_000;

/** How replies are written. */
export type Format = "json" | "base64" | "resp2";

/** What an exchange needs to know of the server. */
export interface ExchangeContext {
  readonly connections: Connections;
  /** Whether the server is closing, so that no connection is kept. */
  readonly draining: boolean;
}

/** One request and its answer. */
export class Exchange {
  format: Format = "json";
  /** Further headers of the answer, name and value in turn. */
  readonly extraHeaders: string[] = [];
  readonly #context: ExchangeContext;

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    context: ExchangeContext,
  ) {
    this.#context = context;
  }

  /** Whether nobody waits for the answer any more. */
  get gone(): boolean {
    return this.res.destroyed;
  }

  /** The length of the request's body as announced; null when only its end will tell. */
  get declaredLength(): number | null {
    const { headers } = this.req;
    if (headers["content-length"] !== undefined) return Number(headers["content-length"]);
    return headers["transfer-encoding"] === undefined ? 0 : null;
  }

  /** Runs `step`; what it throws becomes the answer, so that one request's trouble stays its own. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof BadRequest) this.refuse(error.status, error.message);
      else {
        warn(error);
        this.refuse(500, "ERR the gateway failed on this request");
      }
    }
  }

  /** Answers. `more` are further headers, name and value in turn. */
  answer(status: number, type: string, body: Buffer, more?: readonly string[]): void {
    const { req, res } = this;
    if (res.destroyed || res.headersSent) return;
    const headers = [
      "Content-Type",
      type,
      "Content-Length",
      String(body.length),
      "Warmline-Gateway",
      VERSION,
    ];
    headers.push("upstash-sync-token", SYNC_TOKEN);
    if (more) headers.push(...more);
    if (this.extraHeaders.length > 0) headers.push(...this.extraHeaders);
    const unread = !req.complete && this.declaredLength !== 0;
    if (unread || this.#context.draining) {
      headers.push("Connection", "close");
      // The header alone is not enough: a raw list of headers is not looked into.
      res.shouldKeepAlive = false;
    }
    res.writeHead(status, headers);
    if (unread) this.#linger(body);
    else res.end(body);
    this.#context.connections.requestEnded(req.socket);
  }

  /** Begins an answer that is a stream of events; `res` takes them. Its connection serves no other request. */
  stream(): void {
    const { res } = this;
    if (res.destroyed || res.headersSent) return;
    const headers = ["Content-Type", "text/event-stream", "Cache-Control", "no-cache"];
    // Some proxies collect an answer before they pass it on, unless they are told.
    headers.push("X-Accel-Buffering", "no", "Warmline-Gateway", VERSION, "upstash-sync-token", SYNC_TOKEN);
    res.shouldKeepAlive = false;
    res.writeHead(200, [...headers, ...this.extraHeaders, "Connection", "close"]);
    res.flushHeaders();
  }

  /** Answers with an error in JSON. */
  error(status: number, text: string, more?: readonly string[]): void {
    this.answer(status, JSON_TYPE, jsonError(text), more);
  }

  /** Answers that a command has no reply of Redis, and whether it may have run. */
  failure(failure: UpstreamFailure): void {
    const { outcome, reason, message } = failure;
    if (outcome === "unsent") {
      this.error(503, message, ["Warmline-Outcome", "unsent", "Retry-After", RETRY_AFTER]);
    } else this.error(reason === "timeout" ? 504 : 502, message, ["Warmline-Outcome", "unknown"]);
  }

  /**
   * Answers with an error whatever the body says. A short body is read first and the connection stays; of a
   * long one only so much is read that the answer arrives, then the connection is closed.
   */
  refuse(status: number, text: string, more?: readonly string[]): void {
    const { req } = this;
    const length = this.declaredLength;
    if (req.complete || length === null || length === 0 || length > WORTH_READING)
      this.error(status, text, more);
    else {
      req.once("end", () => this.error(status, text, more));
      this.#context.connections.bodyStarted(req.socket);
      req.resume();
    }
  }

  /** Reads the body whole. Calls `done` with it; a body of more than `max` bytes is refused instead. */
  readBody(max: number, done: (body: Buffer) => void): void {
    const { req, res } = this;
    if ((this.declaredLength ?? 0) > max) {
      this.#tooLarge(max);
      return;
    }
    if (req.headers.expect !== undefined) res.writeContinue();
    this.#context.connections.bodyStarted(req.socket);
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= max) {
        chunks.push(chunk);
        return;
      }
      req.off("data", onData);
      req.off("end", onEnd);
      this.#tooLarge(max);
    };
    const onEnd = () => {
      this.#context.connections.bodyEnded(req.socket);
      done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    };
    req.on("data", onData);
    req.on("end", onEnd);
  }

  #tooLarge(max: number): void {
    this.error(413, `ERR the request is larger than ${max} bytes`);
  }

  /** The answer goes out at once; the end of the message, which closes the connection, waits for the body. */
  #linger(body: Buffer): void {
    const { req, res } = this;
    if (body.length > 0) res.write(body);
    const end = () => {
      clearTimeout(timer);
      res.end();
    };
    const timer = setTimeout(end, LINGER);
    req.once("end", end);
    req.once("close", end);
    req.resume();
  }
}

/** Tells the operator where the gateway failed; the message is left out, since it might quote a value. */
function warn(error: unknown): void {
  const { name, stack = "" } = error instanceof Error ? error : new Error();
  const where = /^\s+at .*$/m.exec(stack)?.[0].trim() ?? "";
  process.emitWarning(`a request failed inside the gateway: ${name} ${where}`);
}
