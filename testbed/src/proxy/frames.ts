/** A part of a message: `first` begins it, `last` ends it (one part may do both). */
export interface MessagePart {
  readonly bytes: Buffer;
  readonly first: boolean;
  readonly last: boolean;
}

/** Cuts a stream of bytes at the boundaries of its messages. */
export interface Framer {
  /** Takes the next bytes and returns the recognised parts, in order; no byte is lost or added. */
  push(bytes: Buffer): MessagePart[];
  /** Returns the bytes of an incomplete part, at the end of the stream. */
  flush(): Buffer;
}

/** Every chunk is a message. It fits protocols that alternate small messages, such as RESP in tests. */
export class ChunkFramer implements Framer {
  push(bytes: Buffer): MessagePart[] {
    return [{ bytes, first: true, last: true }];
  }

  flush(): Buffer {
    return Buffer.alloc(0);
  }
}

/** Returns the end of the RESP2 or RESP3 value that begins at `at`; undefined if it is not complete. */
function respEnd(bytes: Buffer, at: number): number | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd === -1) return undefined;
  const type = String.fromCharCode(bytes[at]!);
  let end = lineEnd + 2;
  if (!"$!=*~>%".includes(type)) return end;
  const count = Math.max(0, Number(bytes.toString("latin1", at + 1, lineEnd)));
  if ("$!=".includes(type)) {
    const isNull = bytes[at + 1] === 0x2d;
    if (!isNull) end += count + 2;
    return end <= bytes.length ? end : undefined;
  }
  for (let left = type === "%" ? count * 2 : count; left > 0; left--) {
    const next = end < bytes.length ? respEnd(bytes, end) : undefined;
    if (next === undefined) return undefined;
    end = next;
  }
  return end;
}

/** Splits RESP commands or replies. Each is one part, which is returned once it is complete. */
export class RespFramer implements Framer {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): MessagePart[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const parts: MessagePart[] = [];
    while (this.#rest.length > 0) {
      const end = respEnd(this.#rest, 0);
      if (end === undefined) break;
      parts.push({ bytes: this.#rest.subarray(0, end), first: true, last: true });
      this.#rest = this.#rest.subarray(end);
    }
    return parts;
  }

  flush(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest;
  }
}

const MAX_HEAD_BYTES = 64 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");

type Body = "none" | "length" | "chunked" | "until-close";

/**
 * Splits HTTP/1.1 requests or responses. From the first byte that is not HTTP on, every chunk is a message, since the proxy must
 * pass anything.
 */
export class HttpFramer implements Framer {
  readonly #kind: "request" | "response";
  readonly #bodiless: () => boolean;
  #rest: Buffer = Buffer.alloc(0);
  #body: Body = "none";
  #inBody = false;
  #left = 0;
  #trailer = false;
  #notHttp = false;

  /** @param bodiless returns whether the current response belongs to a HEAD request */
  constructor(kind: "request" | "response", bodiless: () => boolean = () => false) {
    this.#kind = kind;
    this.#bodiless = bodiless;
  }

  push(bytes: Buffer): MessagePart[] {
    if (this.#notHttp) return [{ bytes, first: true, last: true }];
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const pieces: MessagePart[] = [];
    while (this.#rest.length > 0) {
      const piece = this.#inBody ? this.#readBody() : this.#readHead();
      if (!piece) break;
      pieces.push(piece);
    }
    return pieces;
  }

  flush(): Buffer {
    return this.#take(this.#rest.length);
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  #readHead(): MessagePart | undefined {
    const end = this.#rest.indexOf(HEAD_END);
    if (!looksLikeHttp(this.#rest, this.#kind) || (end < 0 && this.#rest.length > MAX_HEAD_BYTES)) {
      this.#notHttp = true;
      return { bytes: this.flush(), first: true, last: true };
    }
    if (end < 0) return undefined;
    const bytes = this.#take(end + HEAD_END.length);
    const interim = this.#open(bytes.toString("latin1"));
    return { bytes, first: true, last: !this.#inBody && !interim };
  }

  /** Reads from a head how the body ends. Returns true for an interim response (1xx), after which another head follows. */
  #open(head: string): boolean {
    const length = /^content-length:[ \t]*(\d+)/im.exec(head)?.[1];
    const chunked = /^transfer-encoding:.*\bchunked[ \t]*$/im.test(head);
    const empty =
      this.#kind === "response" && (this.#bodiless() || /^HTTP\/1\.\d (?:1\d\d|204|304)/.test(head));
    this.#trailer = false;
    if (empty) this.#body = "none";
    else if (chunked) this.#body = "chunked";
    else if (length !== undefined) this.#body = Number(length) === 0 ? "none" : "length";
    else this.#body = this.#kind === "request" ? "none" : "until-close";
    this.#left = this.#body === "length" ? Number(length) : 0;
    this.#inBody = this.#body !== "none";
    return this.#kind === "response" && /^HTTP\/1\.\d 1/.test(head);
  }

  #readBody(): MessagePart | undefined {
    if (this.#body === "until-close")
      return { bytes: this.#take(this.#rest.length), first: false, last: false };
    if (this.#body === "chunked") return this.#readChunk();
    const bytes = this.#take(Math.min(this.#left, this.#rest.length));
    this.#left -= bytes.length;
    if (this.#left === 0) this.#inBody = false;
    return { bytes, first: false, last: this.#left === 0 };
  }

  /** Reads a chunk size, chunk data with its line end, or a line after the last chunk. */
  #readChunk(): MessagePart | undefined {
    if (this.#left > 0) {
      const bytes = this.#take(Math.min(this.#left, this.#rest.length));
      this.#left -= bytes.length;
      return { bytes, first: false, last: false };
    }
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) return undefined;
    const bytes = this.#take(end + 2);
    if (this.#trailer) {
      if (end === 0) this.#inBody = false;
      return { bytes, first: false, last: end === 0 };
    }
    const size = Number.parseInt(bytes.toString("latin1"), 16);
    if (size === 0) this.#trailer = true;
    else this.#left = size + 2;
    return { bytes, first: false, last: false };
  }
}

function looksLikeHttp(bytes: Buffer, kind: "request" | "response"): boolean {
  const start = bytes.toString("latin1", 0, 9);
  if (kind === "request") return /^[A-Z]+( |$)/.test(start);
  return start.length < 9 ? "HTTP/1.".startsWith(start.slice(0, 7)) : /^HTTP\/1\.\d $/.test(start);
}
