import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CodecOption, Redis } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { anyCharacter } from "../../support/any-character.js";
import { RawEndpoint } from "../../support/endpoint.js";
import { scaled } from "../../support/random-tests.js";

// However the bytes of a response are cut on their way, what comes out of them is the same.

let endpoint: RawEndpoint;
/** The pieces that the next response is written in. */
let pieces: readonly Uint8Array[] = [];
beforeAll(async () => {
  endpoint = await RawEndpoint.start();
  endpoint.onConnection = (socket) => socket.setNoDelay();
  endpoint.onRequest = async ({ socket }) => {
    for (const piece of pieces) {
      socket.write(piece);
      // Each piece reaches the client by itself, as far as that can be had.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
});
afterAll(() => endpoint.stop());

/** A reply's body in each format: what was stored under two keys, one of them missing in between. */
const formats: Record<
  string,
  { type: string; body(values: readonly Uint8Array[], encoding: BufferEncoding): Uint8Array }
> = {
  resp2: {
    type: "application/vnd.redis.resp2\r\nWarmline-Gateway: 0",
    body: (values) =>
      Buffer.concat([
        Buffer.from(`*${values.length + 1}\r\n$-1\r\n`),
        ...values.flatMap((value) => [Buffer.from(`$${value.length}\r\n`), value, Buffer.from("\r\n")]),
      ]),
  },
  json: {
    type: "application/json\r\nWarmline-Gateway: 0",
    body: (values, encoding) =>
      Buffer.from(
        JSON.stringify({ result: [null, ...values.map((value) => Buffer.from(value).toString(encoding))] }),
      ),
  },
};

/** An HTTP response, its body with a length or in chunks of a size. */
function response(type: string, body: Uint8Array, chunk: number): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n`;
  if (chunk === 0) return Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]);
  const parts = [Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`)];
  for (let at = 0; at < body.length; at += chunk) {
    const part = body.subarray(at, at + chunk);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), Buffer.from(part), Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends
    .map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end))
    .filter(({ length }) => length);
}

const stored: Record<CodecOption & string, fc.Arbitrary<{ bytes: Uint8Array; value: unknown }>> = {
  bytes: fc.uint8Array({ maxLength: 64 }).map((value) => ({ bytes: value, value })),
  text: fc.string({ unit: "grapheme", maxLength: 40 }).map((value) => ({ bytes: Buffer.from(value), value })),
  json: fc
    .oneof(
      fc.array(fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 })),
      fc.boolean(),
      fc.maxSafeInteger(),
    )
    // JSON has no negative zero.
    .map((tree) => JSON.stringify(tree))
    .map((text) => ({ bytes: Buffer.from(text), value: JSON.parse(text) })),
};

describe.each([
  ["Node", Redis],
  ["fetch", FetchRedis],
] as const)("the entry on %s", (_entry, Client) => {
  describe.each(["resp2", "json"] as const)("%s", (responseFormat) => {
    test.each(["bytes", "text", "json"] as const)(
      "a response split at every byte reads the same: %s",
      async (codec) => {
        const redis = new Client({ url: endpoint.url, token: "t", responseFormat, codec });
        const { type, body } = formats[responseFormat]!;
        await fc.assert(
          fc.asyncProperty(
            fc.array(stored[codec], { maxLength: 4 }),
            fc.array(fc.nat(), { maxLength: 6 }),
            fc.nat({ max: 40 }),
            async (values, places, chunk) => {
              // Base64 is requested where bytes are needed.
              const encoding = codec === "bytes" ? "base64" : "utf8";
              const whole = response(
                type,
                body(
                  values.map(({ bytes }) => bytes),
                  encoding,
                ),
                chunk,
              );
              pieces = cut(whole, places);
              expect(await redis.mget("a", "b")).toEqual([null, ...values.map(({ value }) => value)]);
            },
          ),
          { numRuns: scaled(30) },
        );
        redis.close();
      },
    );
  });
});
