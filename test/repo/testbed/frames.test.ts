import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Framer, HttpFramer, type MessagePart, RespFramer } from "../../../testbed/src/proxy/frames.js";

/** Pushes `bytes` cut at the given places. */
function feed(framer: Framer, bytes: Buffer, cuts: readonly number[]): MessagePart[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces: MessagePart[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    if (to > from) pieces.push(...framer.push(bytes.subarray(from, to)));
    from = Math.max(from, to);
  }
  return pieces;
}

/** The messages that the pieces make up, each as text. */
function messages(pieces: readonly MessagePart[]): string[] {
  const whole: string[] = [];
  let current = "";
  for (const piece of pieces) {
    current += piece.bytes.toString("latin1");
    if (piece.last) {
      whole.push(current);
      current = "";
    }
  }
  return whole;
}

const RESPONSES = [
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  "HTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\n\r\n!\r\n0\r\nTrailer: 1\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\nok",
  "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
];
const REQUESTS = [
  'POST /pipeline HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n["GET"]',
  "GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
  "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
];

describe.each([
  ["response", RESPONSES],
  ["request", REQUESTS],
] as const)("%ss", (kind, samples) => {
  test("messages are separated however the bytes are split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...samples), { maxLength: 6 }),
        fc.array(fc.nat()),
        (chosen, cuts) => {
          const bytes = Buffer.from(chosen.join(""), "latin1");
          expect(messages(feed(new HttpFramer(kind), bytes, cuts))).toEqual(chosen);
        },
      ),
    );
  });
});

test("the response to a HEAD has no body whatever length it names", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  const framer = new HttpFramer("response", () => true);
  expect(messages(framer.push(Buffer.from(head + head)))).toEqual([head, head]);
});

test("a response without a length goes on until the connection ends", () => {
  const framer = new HttpFramer("response");
  const pieces = [
    ...framer.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\ndata: ")),
    ...framer.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\n")),
  ];
  expect(pieces.map((piece) => piece.first)).toEqual([true, false, false]);
  expect(pieces.some((piece) => piece.last)).toBe(false);
});

test("RESP values are separated however the bytes are split", () => {
  const values = [
    "*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n",
    "*2\r\n*0\r\n*1\r\n:-1\r\n",
    "*-1\r\n",
    "$-1\r\n",
    "$0\r\n\r\n",
    "+OK\r\n",
    "-ERR no\r\n",
    "%1\r\n+a\r\n~1\r\n_\r\n",
    ">2\r\n+message\r\n=5\r\ntxt:a\r\n",
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...values), { maxLength: 6 }),
      fc.array(fc.nat()),
      (chosen, cuts) => {
        const framer = new RespFramer();
        const parts = feed(framer, Buffer.from(chosen.join("")), cuts);
        expect(parts.every(({ first, last }) => first && last)).toBe(true);
        expect(messages(parts)).toEqual(chosen);
        expect(framer.flush()).toHaveLength(0);
      },
    ),
  );
});
