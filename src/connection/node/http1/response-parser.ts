/** The bytes are not an HTTP/1.1 answer, or one that we take no part in. */
export class BadResponse extends Error {}

/** A whole answer. */
export interface ParsedResponse {
  readonly status: number;
  /** By lower-case name; a name that came twice has its values joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether the connection may carry another request. */
  readonly keepAlive: boolean;
}

/** The most bytes of a head, as Node's own limit has it. */
const LONGEST_HEAD = 16 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const EMPTY = Buffer.alloc(0);

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
// No tab around a value: parsers differ on whether it is part of it.
const HEADER_LINE =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): *((?:[\x21-\x7e\x80-\xff](?:[ \t]*[\x21-\x7e\x80-\xff])*)?) *$/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,8})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=[!#$%&'*+\-.^_`|~0-9A-Za-z]+)?)*$/;

type State = "head" | "length" | "until-close" | "chunk-size" | "chunk" | "chunk-end" | "trailers";

/**
 * Reads one HTTP/1.1 answer from any split of its bytes, strictly: what RFC 9112 leaves to leniency is refused, such
 * as bare line feeds, folded lines, two lengths, a length beside a transfer coding.
 * @see https://www.rfc-editor.org/rfc/rfc9112
 */
export class ResponseParser {
  private state: State = "head";
  private rest: Buffer = EMPTY;
  private status = 0;
  private headers = new Map<string, string>();
  private keepAlive = false;
  private chunks: Buffer[] = [];
  /** Bytes of the body, or of its chunk, still to come. */
  private left = 0;
  private whole = false;

  /**
   * Takes the next bytes of the socket.
   * @returns the answer once it is whole, and the bytes after it.
   * @throws BadResponse
   */
  push(bytes: Buffer): { response: ParsedResponse; surplus: Buffer } | undefined {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    while (this.step()) {
      // Until the answer is whole or more bytes are needed.
    }
    return this.whole ? { response: this.response(), surplus: this.rest } : undefined;
  }

  /**
   * The server has closed its side.
   * @returns the answer, where its end is the connection's.
   * @throws BadResponse when it was cut off.
   */
  end(): ParsedResponse {
    if (this.state !== "until-close")
      throw new BadResponse("the connection was closed before the answer's end");
    return this.response();
  }

  /** Takes one step; false when it can't without more bytes, or need not. */
  private step(): boolean {
    if (this.whole) return false;
    switch (this.state) {
      case "head":
        return this.readHead();
      case "length":
        return this.readData(() => this.finish());
      case "until-close":
        this.keep(this.rest.length);
        return false;
      case "chunk-size":
        return this.readLine((line) => this.beginChunk(line));
      case "chunk":
        return this.readData(() => {
          this.state = "chunk-end";
        });
      case "chunk-end":
        return this.readLine((line) => {
          if (line !== "") throw new BadResponse("a chunk is longer than it says");
          this.state = "chunk-size";
        });
      case "trailers":
        return this.readLine((line) => {
          if (line === "") this.finish();
          else parseHeader(line);
        });
    }
  }

  private readHead(): boolean {
    const end = this.rest.indexOf(HEAD_END);
    if (end === -1 ? this.rest.length > LONGEST_HEAD : end > LONGEST_HEAD)
      throw new BadResponse("the head is too long");
    if (end === -1) {
      if (!"HTTP/1.".startsWith(this.rest.toString("latin1", 0, 7)))
        throw new BadResponse("not an HTTP/1.1 answer");
      return false;
    }
    const lines = this.rest.toString("latin1", 0, end).split("\r\n");
    this.rest = this.rest.subarray(end + HEAD_END.length);
    this.begin(lines);
    return true;
  }

  private begin(lines: string[]): void {
    const [, minor, status] = STATUS_LINE.exec(lines[0]!) ?? [];
    if (status === undefined) throw new BadResponse("the status line is malformed");
    this.status = Number(status);
    const headers = new Map<string, string>();
    for (let i = 1; i < lines.length; i++) {
      const [name, value] = parseHeader(lines[i]!);
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    this.headers = headers;
    if (this.status < 200) this.interim();
    else this.beginBody(minor === "1");
  }

  /** An answer that another follows, such as 103 Early Hints. We asked neither to go on (100) nor to switch (101). */
  private interim(): void {
    if (this.status <= 101) throw new BadResponse(`status ${this.status} was not asked for`);
    if (this.headers.has("content-length") || this.headers.has("transfer-encoding")) {
      throw new BadResponse("an interim answer announces a body");
    }
  }

  private beginBody(isHttp11: boolean): void {
    const { headers } = this;
    const connection = (headers.get("connection") ?? "").toLowerCase().split(/[ \t]*,[ \t]*/);
    this.keepAlive = isHttp11 ? !connection.includes("close") : connection.includes("keep-alive");
    const length = headers.get("content-length");
    const coding = headers.get("transfer-encoding");
    // RFC 9110, section 6.4.1: these have none, whatever they say; to be safe they may not say so.
    if (this.isBodiless && (coding !== undefined || (length ?? "0") !== "0")) {
      throw new BadResponse(`status ${this.status} announces a body`);
    }
    if (length !== undefined && coding !== undefined)
      throw new BadResponse("a length beside a transfer coding");
    if (coding !== undefined) {
      if (!isHttp11 || coding.toLowerCase() !== "chunked")
        throw new BadResponse("a transfer coding other than chunked");
      this.state = "chunk-size";
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) throw new BadResponse("the length is malformed");
      this.left = Number(length);
      this.state = "length";
    } else if (this.isBodiless) {
      this.finish();
    } else {
      this.keepAlive = false;
      this.state = "until-close";
    }
  }

  private get isBodiless(): boolean {
    return this.status === 204 || this.status === 304;
  }

  private beginChunk(line: string): void {
    const [, size] = CHUNK_SIZE.exec(line) ?? [];
    if (size === undefined) throw new BadResponse("a chunk's size is malformed");
    this.left = Number.parseInt(size, 16);
    this.state = this.left === 0 ? "trailers" : "chunk";
  }

  private readData(then: () => void): boolean {
    if (this.left > 0) {
      if (this.rest.length === 0) return false;
      this.left -= this.keep(Math.min(this.left, this.rest.length));
    }
    if (this.left > 0) return false;
    then();
    return true;
  }

  private readLine(then: (line: string) => void): boolean {
    const end = this.rest.indexOf("\r\n");
    if (end === -1) {
      if (this.rest.length > LONGEST_HEAD) throw new BadResponse("a line is too long");
      return false;
    }
    const line = this.rest.toString("latin1", 0, end);
    this.rest = this.rest.subarray(end + 2);
    then(line);
    return true;
  }

  private keep(count: number): number {
    if (count > 0) this.chunks.push(this.rest.subarray(0, count));
    this.rest = this.rest.subarray(count);
    return count;
  }

  private finish(): void {
    this.whole = true;
  }

  private response(): ParsedResponse {
    const { status, headers, keepAlive, chunks } = this;
    return { status, headers, keepAlive, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
  }
}

function parseHeader(line: string): [name: string, value: string] {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined) throw new BadResponse("a header line is malformed");
  return [name.toLowerCase(), value!];
}
