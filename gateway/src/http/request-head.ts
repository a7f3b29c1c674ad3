import { COLON, CR, LF, SLASH, SPACE, STAR, TAB } from "../util/bytes.js";
import { HttpError, malformed } from "./http-error.js";

/** Headers that the gateway reads. Other headers are only checked for their form. */
const NAMES = [
  "accept",
  "access-control-request-headers",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "forwarded",
  "host",
  "last-event-id",
  "origin",
  "sec-fetch-site",
  "traceparent",
  "transfer-encoding",
  "upstash-encoding",
  "upstash-response-format",
  "via",
  "warmline-near",
  "x-forwarded-for",
  "x-request-id",
] as const;

/** Headers that may occur more than once. Their values are joined into one list. */
const LISTS: readonly string[] = [
  ...["accept", "connection", "forwarded", "traceparent", "via", "x-forwarded-for", "x-request-id"],
];

/** The name of a header that the gateway reads, in lower case. */
export type HeaderName = (typeof NAMES)[number];

/** The headers of a request that the gateway reads, without the space around their values. Bytes beyond ASCII are Latin-1. */
export type RequestHeaders = { readonly [name in HeaderName]: string | undefined };

export type RequestHead = Readonly<ReturnType<typeof readHead>>;

const METHODS = ["POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE", "PATCH", "TRACE"];
const MAX_HEADERS = 100;
/** No sum of two such lengths loses a digit. */
const MAX_DIGITS = 15;

/** A target in absolute form (RFC 9112, 3.2.2). Names of users in it are refused, as RFC 9110, 4.2.4 advises. */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)([/?][^#]*)?$/i;
/** A host and perhaps a port (RFC 9110, 7.2; RFC 3986, 3.2.2). A Host header may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** A set of bytes: 1 for each byte that belongs to it. */
function setOf(belongs: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (belongs(byte) ? 1 : 0));
}

const TOKEN_CHARACTER = /[!#$%&'*+.^_`|~0-9A-Za-z-]/;

/** Characters of a token, such as a method or the name of a header (RFC 9110, 5.6.2). */
const TOKEN = setOf((byte) => byte < 0x80 && TOKEN_CHARACTER.test(String.fromCharCode(byte)));

/** Bytes of a request's target; those beyond ASCII belong in escapes. */
const TARGET = setOf((byte) => byte > 0x20 && byte < 0x7f);

/** Bytes of a header's value: no control character but the tab (RFC 9110, 5.5). */
const VALUE = setOf((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));

const byHash = new Map(NAMES.map((name) => [Buffer.from(name).reduce(nextHash, 0), name]));
if (byHash.size !== NAMES.length) throw new Error("two header names have the same hash");

type Values = { -readonly [name in HeaderName]: string | undefined };
const NONE = Object.fromEntries(NAMES.map((name) => [name, undefined])) as Values;

/**
 * Reads a request's head by RFC 9112, without any of the leniency that it allows. Input that two parsers might read in two
 * ways is refused.
 * @param end the index of the empty line that ends the head
 * @throws {HttpError} for any other input; the connection can't be used any further then
 */
export function readHead(bytes: Buffer, from: number, end: number) {
  let at = skip(TOKEN, bytes, from, end);
  if (at === from || bytes[at] !== SPACE) throw malformed("the request line is malformed");
  const method = methodOf(bytes, from, at);
  const targetFrom = at + 1;
  at = skip(TARGET, bytes, targetFrom, end);
  if (at === targetFrom || bytes[at] !== SPACE) throw malformed("the request line is malformed");
  const targetEnd = at;
  const minor = minorVersion(bytes, at + 1, end);
  if (method === undefined) throw new HttpError("the method is unknown", 501);
  const target = targetEnd - targetFrom === 1 ? "" : bytes.toString("latin1", targetFrom, targetEnd);
  let url = bytes[targetFrom] === SLASH ? target || "/" : "*";
  const given = readHeaders(bytes, at + 9, end);
  if (minor === 1 && given.host === undefined) throw malformed("the Host header is missing");
  if (given.host !== undefined && !HOST.test(given.host))
    throw malformed("the Host header is not a host name");
  let headers: RequestHeaders = given;
  if (url === "*" && !(method === "OPTIONS" && bytes[targetFrom] === STAR && target === "")) {
    const [, host, rest = ""] = ABSOLUTE.exec(target) ?? [];
    if (host === undefined || !HOST.test(host)) throw malformed("the request target is not a path");
    // The host of the target takes precedence over the Host header (RFC 9112, 3.2.2).
    headers = { ...given, host };
    url = rest.startsWith("/") ? rest : `/${rest}`;
  }
  return {
    method,
    /** The version is HTTP/1.0 or 1.1. */
    minor,
    /** The target's path and query, which start with a slash and are ASCII; or `*`, which stands for the server (OPTIONS). */
    url,
    headers,
    /** Length of the body in bytes, or null if it comes in chunks. */
    length: bodyLength(headers, minor),
    /** Whether the client would use the connection again. After a request for another protocol, further bytes might be taken for it. */
    keepAlive:
      (minor === 1 || hasToken(headers.connection, "keep-alive")) &&
      !hasToken(headers.connection, "close") &&
      !hasToken(headers.connection, "upgrade"),
    /** Whether the client waits for `100 Continue` before it sends the body. */
    expectsContinue: expectation(headers, minor),
  };
}

/** Whether an incomplete head may still become a valid one. Input that is not HTTP is refused at once. */
export function mayBecomeHead(bytes: Buffer, from: number, end: number): boolean {
  let at = skip(TOKEN, bytes, from, end);
  if (at === end) return true;
  if (at === from || bytes[at] !== SPACE) return false;
  at = skip(TARGET, bytes, at + 1, end);
  if (at === end) return true;
  if (bytes[at] !== SPACE) return false;
  for (const byte of bytes.subarray(at + 1, Math.min(at + 11, end))) {
    if (byte !== CR && byte !== LF && VALUE[byte] !== 1) return false;
  }
  return true;
}

function skip(set: Uint8Array, bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && set[bytes[at]!] === 1) at++;
  return at;
}

function methodOf(bytes: Buffer, from: number, to: number): string | undefined {
  const first = bytes[from];
  return METHODS.find((method) => {
    if (method.length !== to - from || method.charCodeAt(0) !== first) return false;
    for (let i = 1; i < method.length; i++) if (bytes[from + i] !== method.charCodeAt(i)) return false;
    return true;
  });
}

/** The digit behind `HTTP/1.`; the line must end there. */
function minorVersion(bytes: Buffer, from: number, end: number): 0 | 1 {
  const text = bytes.toString("latin1", from, Math.min(from + 9, end));
  const lineEnds = from + 8 === end || (text.length === 9 && text.charCodeAt(8) === CR);
  if (lineEnds) {
    if (text.startsWith("HTTP/1.1")) return 1;
    if (text.startsWith("HTTP/1.0")) return 0;
    if (/^HTTP\/\d\.\d/.test(text)) throw new HttpError("this version of HTTP is not supported", 505);
  }
  throw malformed("the request line is malformed");
}

/** Reads the header lines from the CR behind the request line on. */
function readHeaders(bytes: Buffer, from: number, end: number): RequestHeaders {
  const headers = { ...NONE };
  let at = from;
  for (let count = 0; at < end; count++) {
    if (count === MAX_HEADERS) throw new HttpError("the request has too many headers", 431);
    if (bytes[at] !== CR || bytes[at + 1] !== LF) throw malformed("a header line is malformed");
    const nameFrom = at + 2;
    let hash = 0;
    for (at = nameFrom; at < end && TOKEN[bytes[at]!] === 1; at++) hash = nextHash(hash, bytes[at]!);
    // A line that begins with space would continue the one before; space before the colon is as bad.
    if (at === nameFrom || bytes[at] !== COLON) throw malformed("a header line is malformed");
    const nameEnd = at++;
    while (isBlankOrTab(bytes[at]!)) at++;
    const valueFrom = at;
    at = skip(VALUE, bytes, at, end);
    const name = byHash.get(hash);
    if (name !== undefined && isNamed(bytes, nameFrom, nameEnd, name)) {
      let valueEnd = at;
      // A tab after a header that sets the body's length is space by the RFC, an error to Node. It stays, and is refused.
      const isSpace = name === "content-length" || name === "transfer-encoding" ? isBlank : isBlankOrTab;
      while (valueEnd > valueFrom && isSpace(bytes[valueEnd - 1]!)) valueEnd--;
      const value = bytes.toString("latin1", valueFrom, valueEnd);
      const before = headers[name];
      if (before === undefined) headers[name] = value;
      else if (LISTS.includes(name)) headers[name] = `${before},${value}`;
      else throw malformed(`the ${name} header occurs twice`);
    }
  }
  return headers;
}

function isBlank(byte: number): boolean {
  return byte === SPACE;
}

function isBlankOrTab(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** Returns the hash with one more byte. The case of letters has no effect. */
function nextHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + (byte | 0x20)) | 0;
}

function isNamed(bytes: Buffer, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[from + i]!;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== name.charCodeAt(i)) return false;
  }
  return true;
}

function bodyLength(headers: RequestHeaders, minor: 0 | 1): number | null {
  const coding = headers["transfer-encoding"];
  const length = headers["content-length"];
  if (coding !== undefined) {
    if (length !== undefined) throw malformed("both Content-Length and Transfer-Encoding are given");
    if (minor === 0) throw malformed("HTTP/1.0 has no Transfer-Encoding");
    if (coding.toLowerCase() !== "chunked") {
      throw new HttpError("this Transfer-Encoding is not supported: only chunked is", 501);
    }
    return null;
  }
  if (length === undefined) return 0;
  if (!/^\d+$/.test(length)) throw malformed("the Content-Length is not a number");
  if (length.length > MAX_DIGITS) throw new HttpError("the request is too large", 413);
  return Number(length);
}

function expectation(headers: RequestHeaders, minor: 0 | 1): boolean {
  if (headers.expect === undefined || minor === 0) return false;
  if (headers.expect.toLowerCase() === "100-continue") return true;
  throw new HttpError("this expectation is not supported: only 100-continue is", 417);
}

function hasToken(list: string | undefined, token: string): boolean {
  if (list === undefined) return false;
  return list.split(",").some((each) => each.trim().toLowerCase() === token);
}
