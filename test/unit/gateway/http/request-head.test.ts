import { describe, expect, test } from "vitest";
import { BodyBuffer } from "../../../../gateway/src/http/body-buffer.js";
import { ChunkedBody } from "../../../../gateway/src/http/chunked-body.js";
import { readHead } from "../../../../gateway/src/http/request-head.js";

const read = (text: string) => {
  const bytes = Buffer.from(text, "latin1");
  return readHead(bytes, 0, bytes.length);
};
const withHeaders = (...lines: string[]) => ["POST / HTTP/1.1", "Host: h", ...lines].join("\r\n");

describe("a request head", () => {
  test("header names are read in either case, and values without the space around them", () => {
    const head = read(
      withHeaders("AUTHORIZATION:\t Bearer t \t", "content-length:5", "Connection: a", "connection: b"),
    );
    expect(head).toMatchObject({ method: "POST", url: "/", minor: 1, length: 5, keepAlive: true });
    expect(head.headers).toMatchObject({ host: "h", authorization: "Bearer t", connection: "a,b" });
  });

  test("headers that the gateway does not read are left out, even __proto__", () => {
    const { headers } = read(withHeaders("constructor: a", "constructor: b", "__proto__: c", "X-Other: d"));
    expect(headers).toEqual({ host: "h" });
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test.each([
    ["two lengths", ["Content-Length: 1", "Content-Length: 1"], 400],
    ["a list of lengths", ["Content-Length: 1, 1"], 400],
    ["a signed length", ["Content-Length: +1"], 400],
    ["a hexadecimal length", ["Content-Length: 0x1"], 400],
    ["an empty length", ["Content-Length:"], 400],
    ["a tab after a length", ["Content-Length: 1\t"], 400],
    ["a tab after a coding", ["Transfer-Encoding: chunked\t"], 501],
    ["length and chunks", ["Content-Length: 1", "Transfer-Encoding: chunked"], 400],
    ["chunked twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 400],
    ["chunked not last", ["Transfer-Encoding: chunked, identity"], 501],
    ["something like chunked", ["Transfer-Encoding: xchunked"], 501],
    ["space before a colon", ["Content-Length : 1"], 400],
    ["a folded line", ["X: a", " b"], 400],
    ["a bare LF", ["X: a\nContent-Length: 1"], 400],
    ["a bare CR", ["X: a\rb"], 400],
    ["a NUL", ["X: a\0"], 400],
    ["two hosts", ["Host: other"], 400],
    ["two tokens", ["Authorization: Bearer a", "Authorization: Bearer b"], 400],
    ["no name", [": x"], 400],
    ["no colon", ["x"], 400],
  ])("a request head with %s is refused", (_, lines, status) => {
    expect(() => read(withHeaders(...lines))).toThrow(expect.objectContaining({ status }));
  });

  test.each([
    ["GET  / HTTP/1.1\r\nHost: h", 400],
    ["GET / HTTP/1.1 \r\nHost: h", 400],
    ["GET /\u00e9 HTTP/1.1\r\nHost: h", 400],
    ["GET http:// HTTP/1.1\r\nHost: h", 400],
    ["GET * HTTP/1.1\r\nHost: h", 400],
    ["GET *x HTTP/1.1\r\nHost: h", 400],
    ["GET ftp://h/ HTTP/1.1\r\nHost: h", 400],
    ["GET http://user@h/ HTTP/1.1\r\nHost: h", 400],
    ["GET h/ HTTP/1.1\r\nHost: h", 400],
    ["GET / HTTP/1.1\r\nHost: [::1", 400],
    ["GET / HTTP/1.1\r\nHost: h:80x", 400],
    ["GET / HTTP/1.1\r\nHost: a@h", 400],
    ["GET / HTTP/1.1\r\nHost: h/", 400],
    ["GET / HTTP/1.1\r\nHost: a h", 400],
    ["GET / HTTP/1.1\r\nHost: [::1]h", 400],
    ["GET / HTTP/1.1", 400],
    ["GET / http/1.1\r\nHost: h", 400],
    ["GET / HTTP/1.11\r\nHost: h", 400],
    ["GET / HTTP/3.0\r\nHost: h", 505],
    ["CONNECT / HTTP/1.1\r\nHost: h", 501],
    ["POST / HTTP/1.0\r\nTransfer-Encoding: chunked", 400],
  ])("the request head %j is refused", (text, status) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ status }));
  });

  test.each([
    ["GET http://a.test:1/x?y HTTP/1.1\r\nHost: h", "/x?y", "a.test:1"],
    ["GET http://a.test?y HTTP/1.1\r\nHost: h", "/?y", "a.test"],
    ["GET https://[::1] HTTP/1.1\r\nHost:", "/", "[::1]"],
    ["OPTIONS * HTTP/1.1\r\nHost: h", "*", "h"],
    ["GET /http://a.test/ HTTP/1.1\r\nHost: h", "/http://a.test/", "h"],
  ])("the request head %j has the target %s at %s", (text, url, host) => {
    const head = read(text);
    expect([head.url, head.headers.host]).toEqual([url, host]);
  });

  test("an Upgrade request is the last on its connection", () => {
    expect(read(withHeaders("Connection: Upgrade", "Upgrade: websocket")).keepAlive).toBe(false);
  });
});

describe("a chunked body", () => {
  const readInTwo = (text: string) => {
    const bytes = Buffer.from(text, "latin1");
    // Splits the body in two, at each position in turn.
    const seen = new Set<string>();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const chunked = new ChunkedBody();
      const body = new BodyBuffer(1_000);
      let at = chunked.read(bytes.subarray(0, cut), 0, body);
      if (at === cut) at += chunked.read(bytes.subarray(cut), 0, body);
      seen.add(`${body.whole().toString("latin1")}|${chunked.complete}|${bytes.length - at}`);
    }
    return [...seen];
  };

  test("a chunked body is the same however it arrives, and ends after its trailers", () => {
    expect(readInTwo('3;x="a;b";y=z\r\nabc\r\n0002\r\nde\r\n0\r\nTrailer: x\r\n\r\nGET /')).toEqual([
      "abcde|true|5",
    ]);
  });

  test.each([
    "3\nabc\r\n",
    "3\r\nabcd\r\n",
    "-3\r\n",
    "0x3\r\n",
    " 3\r\n",
    "3 \r\n",
    ";\r\n",
    "3;=\r\n",
    "0\r\nbad line\r\n",
    "\r\n",
  ])("the chunked body %j is refused", (text) => {
    expect(() => readInTwo(text)).toThrow(expect.objectContaining({ status: 400 }));
  });

  test("the extensions of a chunked body are limited in size", () => {
    const line = `1;x=${"y".repeat(1_000)}\r\na\r\n`;
    expect(() => readInTwo(line.repeat(17))).toThrow(expect.objectContaining({ status: 431 }));
  });
});
