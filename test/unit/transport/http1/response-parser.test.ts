import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadResponse } from "../../../../src/transport/node/http1/response-head.js";
import { ResponseParser } from "../../../../src/transport/node/http1/response-parser.js";

function parse(text: string, splits: number[] = [], closed = false) {
  const bytes = Buffer.from(text, "latin1");
  const parser = new ResponseParser();
  const cuts = [0, ...splits.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < cuts.length; i++) {
    const piece = Buffer.from(bytes.subarray(cuts[i - 1], cuts[i]));
    const done = parser.push(piece);
    const surplus = done && Buffer.concat([done.surplus, bytes.subarray(cuts[i])]).toString("latin1");
    // As the memory that sockets are read into is used again for what comes next.
    piece.fill("x");
    if (done) {
      return { ...done.response.head, body: done.response.body.toString("latin1"), surplus };
    }
  }
  if (!closed) return undefined;
  const response = parser.end();
  return { ...response.head, body: response.body.toString("latin1"), surplus: "" };
}

describe("whole responses", () => {
  test.each<[string, string, object]>([
    [
      "with a length",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      { status: 200, body: "hello", keepAlive: true },
    ],
    [
      "without a reason",
      "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n",
      { status: 404, body: "", keepAlive: true },
    ],
    [
      "to be closed",
      "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n",
      { keepAlive: false },
    ],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", { keepAlive: false }],
    [
      "of HTTP/1.0 that stays",
      "HTTP/1.0 200 OK\r\nConnection: x, keep-alive\r\nContent-Length: 0\r\n\r\n",
      { keepAlive: true },
    ],
    [
      "of HTTP/1.0 that stays and closes",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 0\r\n\r\n",
      { keepAlive: false },
    ],
    [
      "in chunks, with an extension and trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nhel\r\n2\r\nlo\r\n0\r\nExpires: never\r\n\r\n",
      { body: "hello" },
    ],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", { body: "", keepAlive: true }],
    [
      "after early hints",
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
      { body: "a" },
    ],
    [
      "with bytes after it",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP",
      { body: "a", surplus: "HTTP" },
    ],
  ])("a response %s is read", (_what, text, expected) => {
    expect(parse(text)).toMatchObject(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (splits) => {
        expect(parse(text, splits)).toMatchObject(expected);
      }),
    );
    for (let cut = 0; cut < text.indexOf("\r\n\r\n") + 3; cut++)
      expect(parse(text.slice(0, cut))).toBeUndefined();
  });

  test("a response without a length ends with the connection", () => {
    expect(parse("HTTP/1.1 200 OK\r\n\r\nhello", [], true)).toMatchObject({
      body: "hello",
      keepAlive: false,
    });
    expect(parse("HTTP/1.1 200 OK\r\n\r\nhello")).toBeUndefined();
  });

  test("headers are read in lower case, joined, without the space around them", () => {
    const { headers } = parse("HTTP/1.1 200 OK\r\nA:  x y \r\na:z\r\nB:\r\nContent-Length: 0\r\n\r\n")!;
    expect(Object.fromEntries(headers)).toEqual({ a: "x y, z", b: "", "content-length": "0" });
  });
});

test.each([
  "HTTP/2 200 OK\r\n\r\n",
  "HTTP/1.1 20 OK\r\n\r\n",
  "HTTP/1.1  200 OK\r\n\r\n",
  "http/1.1 200 OK\r\n\r\n",
  "garbage\r\n\r\n",
  "HTTP/1.1 200 OK\nContent-Length: 1\n\na\r\n\r\n",
  "HTTP/1.1 200 OK\nContent-Length: 1\n\na",
  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\na",
  "HTTP/1.1 200 OK\r\nContent-Length: 1\n\r\na",
  "HTTP/1.1 200 OK\r\n folded\r\n\r\n",
  "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
  "HTTP/1.1 200 OK\r\nspace : x\r\n\r\n",
  "HTTP/1.1 200 OK\r\nA: \x01\r\n\r\n",
  "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
  "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  "HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\na",
  `HTTP/1.1 200 OK\r\nA: ${"a".repeat(20_000)}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\nA: ${"a".repeat(20_000)}`,
])("the response %j is refused", (text) => {
  expect(() => parse(text)).toThrow(BadResponse);
});

test.each([
  "",
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
  "HTTP/1.1 200 OK\r\nContent-Le",
])("the response %j, followed by the end of the connection, is refused", (text) => {
  expect(() => parse(text, [], true)).toThrow(BadResponse);
});
