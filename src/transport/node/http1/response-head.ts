/** The bytes are not an HTTP/1.1 response, or are one that the client does not support. */
export class BadResponse extends Error {}

/** Framing of the data after a head: a length in bytes, chunks, all bytes until the close, or another head. */
export type Framing = "length" | "chunked" | "until-close" | "interim";

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Values by lower-case name. The values of a repeated name are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** Whether the connection may carry another request. */
  readonly keepAlive: boolean;
  readonly framing: Framing;
  /** The body's length in bytes, if the head declares it; else 0. */
  readonly length: number;
}

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
// No tab around a value: parsers differ on whether the tab is part of it.
const HEADER_LINE =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): *((?:[\x21-\x7e\x80-\xff](?:[ \t]*[\x21-\x7e\x80-\xff])*)?) *$/;

/** Recently parsed heads: a server repeats the same one. */
const cachedHeads = new Map<string, ResponseHead>();
const MAX_CACHED_HEADS = 32;
const MAX_CACHED_LENGTH = 1_024;

/** The last head: to compare with it takes a tenth of the time of a lookup. */
let lastText = "";
let lastHead: ResponseHead | undefined;

/** Parses a head, given without the empty line at its end. @throws BadResponse */
export function responseHead(text: string): ResponseHead {
  if (text === lastText && lastHead) return lastHead;
  let head = cachedHeads.get(text);
  if (head === undefined) {
    head = parse(text.split("\r\n"));
    if (text.length > MAX_CACHED_LENGTH) return head;
    if (cachedHeads.size === MAX_CACHED_HEADS) cachedHeads.clear();
    cachedHeads.set(text, head);
  }
  lastText = text;
  lastHead = head;
  return head;
}

function parse(lines: readonly string[]): ResponseHead {
  const [, minor, code] = STATUS_LINE.exec(lines[0]!) ?? [];
  if (code === undefined) throw new BadResponse("the status line is malformed");
  const status = Number(code);
  const headers = new Map<string, string>();
  for (let i = 1; i < lines.length; i++) {
    const [name, value] = parseHeader(lines[i]!);
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  if (status < 200) checkInterim(status, headers);
  // A proxy has compressed the response, though no request asks for that.
  if (/^(?!identity$)./i.test(headers.get("content-encoding") ?? ""))
    throw new BadResponse("the response is compressed: turn that off in the proxy in front of the endpoint");
  const isHttp11 = minor === "1";
  const connection = (headers.get("connection") ?? "").toLowerCase().split(/[ \t]*,[ \t]*/);
  const framing = status < 200 ? "interim" : getFraming(status, headers, isHttp11);
  const asksToKeep = !connection.includes("close") && (isHttp11 || connection.includes("keep-alive"));
  const length = framing === "length" ? Number(headers.get("content-length") ?? 0) : 0;
  return { status, headers, keepAlive: asksToKeep && framing !== "until-close", framing, length };
}

/** Parses a header line. The name is returned in lower case. @throws BadResponse */
export function parseHeader(line: string): [name: string, value: string] {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined) throw new BadResponse("a header line is malformed");
  return [name.toLowerCase(), value!];
}

/** Checks an interim response, such as 103 Early Hints. No request asks for 100 Continue or 101 Switching Protocols. */
function checkInterim(status: number, headers: ReadonlyMap<string, string>): void {
  if (status <= 101) throw new BadResponse(`status ${status} is unexpected`);
  if (headers.has("content-length") || headers.has("transfer-encoding")) {
    throw new BadResponse("an interim response announces a body");
  }
}

function getFraming(status: number, headers: ReadonlyMap<string, string>, isHttp11: boolean): Framing {
  const length = headers.get("content-length");
  const coding = headers.get("transfer-encoding");
  // RFC 9110, section 6.4.1: these responses have no body. One that announces a body is refused.
  const isBodiless = status === 204 || status === 304;
  if (isBodiless && (coding !== undefined || (length ?? "0") !== "0")) {
    throw new BadResponse(`status ${status} announces a body`);
  }
  if (length !== undefined && coding !== undefined)
    throw new BadResponse("both Content-Length and Transfer-Encoding");
  if (coding !== undefined) {
    if (!isHttp11 || coding.toLowerCase() !== "chunked")
      throw new BadResponse("a Transfer-Encoding other than chunked");
    return "chunked";
  }
  if (length !== undefined) {
    if (!/^\d{1,15}$/.test(length)) throw new BadResponse("the Content-Length is malformed");
    return "length";
  }
  return isBodiless ? "length" : "until-close";
}
