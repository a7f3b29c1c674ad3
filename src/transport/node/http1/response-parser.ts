import type { HttpResponse } from "../../../protocol/http.js";
import { IS_ENDPOINT } from "../../../protocol/malformed.js";
import { Body } from "../../body.js";
import { DEFAULT_MAX_REPLY_SIZE, ResponseTooLarge } from "../../transport.js";
import { BadResponse, parseHeader, type ResponseHead, responseHead } from "./response-head.js";

/** A complete response. */
export class ParsedResponse implements HttpResponse {
  readonly status: number;

  constructor(
    readonly head: ResponseHead,
    readonly body: Buffer,
  ) {
    this.status = head.status;
  }

  header(name: string): string | undefined {
    return this.head.headers.get(name);
  }
}

/** Maximum size of a head in bytes: that of Node. */
const MAX_HEAD_SIZE = 16 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const EMPTY = Buffer.alloc(0);

const CHUNK_SIZE = /^([0-9a-fA-F]{1,8})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=[!#$%&'*+\-.^_`|~0-9A-Za-z]+)?)*$/;

type State = "head" | "length" | "until-close" | "chunk-size" | "chunk" | "chunk-end" | "trailers" | "done";

/**
 * Parses one HTTP/1.1 response, however its bytes are split. It refuses bare line feeds, folded lines, two Content-Length headers,
 * and Content-Length together with Transfer-Encoding.
 * @see https://www.rfc-editor.org/rfc/rfc9112
 */
export class ResponseParser {
  #state: State = "head";
  #rest: Buffer = EMPTY;
  #head: ResponseHead | undefined;
  #body: Body<Buffer> | undefined;
  /** Remaining bytes of the body or of its current chunk. */
  #left = 0;

  /** @param limit maximum size of a body in bytes, the sizes of its chunks included. */
  constructor(private readonly limit = DEFAULT_MAX_REPLY_SIZE) {}

  /**
   * Takes the next bytes of the socket. Their memory may be overwritten afterwards: a response has a copy.
   * @returns the response once it is complete, and the bytes after it.
   * @throws BadResponse, ResponseTooLarge
   */
  push(bytes: Buffer): { response: ParsedResponse; surplus: Buffer } | undefined {
    if (this.#state === "head" && this.#rest.length === 0) {
      const response = wholeResponse(bytes, this.limit);
      if (response) return { response, surplus: EMPTY };
    }
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#step()) {
      // Until the response is complete or more bytes are needed.
    }
    this.#rest = this.#rest.length === 0 ? EMPTY : Buffer.from(this.#rest);
    return this.#state === "done" ? { response: this.#response(), surplus: this.#rest } : undefined;
  }

  /** To be called when the server has closed its side. Returns the response, if it ends with the connection, or throws BadResponse. */
  end(): ParsedResponse {
    if (this.#state !== "until-close")
      throw new BadResponse("the connection was closed before the end of the response");
    return this.#response();
  }

  /** Whether no byte of the response has arrived, interim ones aside. */
  get isEmpty(): boolean {
    return this.#state === "head" && this.#rest.length === 0;
  }

  /** Takes one step. Returns false if more bytes are needed, or the response is complete. */
  #step(): boolean {
    switch (this.#state) {
      case "head":
        return this.#readHead();
      case "length":
        return this.#readData("done");
      case "until-close":
        this.#addToBody(this.#rest.length);
        return false;
      case "chunk-size":
        return this.#readLine((line) => this.#beginChunk(line));
      case "chunk":
        return this.#readData("chunk-end");
      case "chunk-end":
        return this.#readLine((line) => {
          if (line !== "") throw new BadResponse("a chunk is longer than its declared size");
          this.#state = "chunk-size";
        });
      case "trailers":
        return this.#readLine((line) => {
          if (line === "") this.#state = "done";
          else parseHeader(line);
        });
      case "done":
        return false;
    }
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf(HEAD_END);
    if (end === -1 ? this.#rest.length > MAX_HEAD_SIZE : end > MAX_HEAD_SIZE)
      throw new BadResponse("the response head is too long");
    if (end === -1) {
      if (!"HTTP/1.".startsWith(this.#rest.toString("latin1", 0, 7)))
        throw new BadResponse(`not an HTTP/1.1 response${hintFor(this.#rest[0]!)}`);
      if (this.#rest.includes("\n\n") || this.#rest.includes("\n\r\n"))
        throw new BadResponse("the response head has a bare line feed");
      return false;
    }
    const head = responseHead(this.#rest.toString("latin1", 0, end));
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    if (head.framing === "interim") return true;
    this.#head = head;
    this.#body = new Body(
      this.limit,
      Buffer.allocUnsafe,
      head.framing === "length" ? head.length : undefined,
    );
    this.#left = head.length;
    this.#state = head.framing === "chunked" ? "chunk-size" : head.framing;
    return true;
  }

  #beginChunk(line: string): void {
    const [, size] = CHUNK_SIZE.exec(line) ?? [];
    if (size === undefined) throw new BadResponse("a chunk size is malformed");
    this.#left = Number.parseInt(size, 16);
    this.#body!.expect(this.#left);
    this.#state = this.#left === 0 ? "trailers" : "chunk";
  }

  #readData(next: State): boolean {
    if (this.#left > 0) {
      if (this.#rest.length === 0) return false;
      this.#left -= this.#addToBody(Math.min(this.#left, this.#rest.length));
    }
    if (this.#left > 0) return false;
    this.#state = next;
    return true;
  }

  #readLine(then: (line: string) => void): boolean {
    const end = this.#rest.indexOf("\r\n");
    if (end === -1) {
      if (this.#rest.length > MAX_HEAD_SIZE) throw new BadResponse("a line is too long");
      return false;
    }
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    this.#body!.skip(end + 2);
    then(line);
    return true;
  }

  #addToBody(count: number): number {
    this.#body!.add(this.#rest.subarray(0, count));
    this.#rest = this.#rest.subarray(count);
    return count;
  }

  #response(): ParsedResponse {
    return new ParsedResponse(this.#head!, this.#body!.whole());
  }
}

/** Returns which protocol a server speaks, by the first byte of its message, and what to do. */
function hintFor(byte: number): string {
  if (byte === 0x15 || byte === 0x16) return ", but TLS: url must begin with https://";
  // "+" and "-".
  if (byte === 0x2b || byte === 0x2d)
    return ", but one of Redis itself: url must be that of a Redis HTTP endpoint, such as warmline-gateway";
  return `: ${IS_ENDPOINT}`;
}

/** Parses a response that arrived in one piece and has a Content-Length, as most do. Any other is parsed step by step. */
function wholeResponse(bytes: Buffer, limit: number): ParsedResponse | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1 || end > MAX_HEAD_SIZE) return undefined;
  const head = responseHead(bytes.toString("latin1", 0, end));
  const begin = end + HEAD_END.length;
  if (head.framing !== "length" || begin + head.length !== bytes.length) return undefined;
  if (head.length > limit) throw new ResponseTooLarge(limit);
  return new ParsedResponse(head, Buffer.from(bytes.subarray(begin)));
}
