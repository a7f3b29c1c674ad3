import { beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { httpResponse, RawEndpoint } from "../../support/endpoint.js";
import { describeEntries } from "../../support/entries.js";
import { forTest } from "../../support/lifetime.js";

// Endpoints that support neither RESP2 nor base64, such as stubs in users' tests and small servers.

const JSON_TYPE = { "content-type": "application/json" };
/** Text that is base64 too. */
const LOOKS_ENCODED = ["test", "hello123", "aGVsbG8=", "MQ==", "abcdefgh"];

const endpoint = RawEndpoint.forEachTest();
let stored: string;
beforeEach(() => {
  stored = '{"a":1}';
  endpoint.onRequest = ({ head, body, socket }) => {
    const result = { result: stored };
    const path = /^POST (\S+)/.exec(head)![1]!;
    const reply = /^\/(pipeline|multi-exec)$/.test(path)
      ? (JSON.parse(body) as unknown[]).map(() => result)
      : result;
    socket.write(httpResponse(JSON.stringify(reply), JSON_TYPE));
  };
});

const asksFor = (header: RegExp) => endpoint.requests.map(({ head }) => header.test(head));

describeEntries((Client) => {
  const client = (options: RedisOptions = {}) =>
    new Client({ url: endpoint.url, token: "t", retry: false, ...options });
  const bytesOf = (text: string) => new TextEncoder().encode(text);

  test("text is read as it is, in any command and every time", async () => {
    const redis = forTest(client());
    for (let i = 0; i < 3; i++) expect(await redis.get("k")).toEqual({ a: 1 });
    for (const text of LOOKS_ENCODED) {
      stored = text;
      expect(await redis.get("k")).toBe(text);
      expect(await redis.getset("k", "v")).toBe(text);
      expect(await redis.pipeline().get("k").getdel("k").exec()).toEqual([text, text]);
      expect(await redis.multi().get("k").getdel("k").exec()).toEqual([text, text]);
      expect(await Promise.all([redis.get("k"), redis.get("l")])).toEqual([text, text]);
      expect(await redis.with({ codec: "text" }).get("k")).toBe(text);
    }
    expect(asksFor(/^upstash-encoding:/im)).not.toContain(true);
    expect(asksFor(/^upstash-response-format:/im).slice(1)).not.toContain(true);
  });

  test("a first batch is read as it is", async () => {
    stored = "test";
    expect(await client().pipeline().get("k").get("k").exec()).toEqual(["test", "test"]);
  });

  test("bytes are requested in base64 until the endpoint shows that it does not encode", async () => {
    const redis = forTest(client({ codec: "bytes" }));
    expect(await redis.get("k")).toEqual(bytesOf('{"a":1}'));
    // Three bytes can't be base64 as encoders write it.
    stored = "abc";
    expect(await redis.get("k")).toEqual(bytesOf("abc"));
    for (const text of LOOKS_ENCODED) {
      stored = text;
      expect(await redis.get("k")).toEqual(bytesOf(text));
      expect(await redis.dump("k")).toEqual(bytesOf(text));
    }
    const requested = asksFor(/^upstash-encoding: base64/im);
    expect(requested.slice(0, 3)).toEqual([false, true, false]);
    expect(requested.slice(3)).not.toContain(true);
  });

  test("an endpoint that encodes returns bytes as they are stored", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    endpoint.onRequest = ({ head, socket }) => {
      const encoded = /^upstash-encoding: base64/im.test(head);
      const result = encoded ? Buffer.from(bytes).toString("base64") : Buffer.from(bytes).toString();
      socket.write(httpResponse(JSON.stringify({ result }), JSON_TYPE));
    };
    await client().get("k");
    const redis = forTest(client({ codec: "bytes" }));
    expect(await redis.get("k")).toEqual(bytes);
    expect(await redis.dump("k")).toEqual(bytes);
    expect(await client().dump("k")).toEqual(bytes);
    const custom = client({ codec: { encode: String, decode: (stored) => stored.length } });
    expect(await custom.get("k")).toBe(256);
  });

  test("responseEncoding: false requests plain JSON from the first request on", async () => {
    const redis = forTest(client({ responseEncoding: false }));
    for (const text of LOOKS_ENCODED) {
      stored = text;
      expect(await redis.get("k")).toBe(text);
      expect(await redis.with({ codec: "bytes" }).get("k")).toEqual(bytesOf(text));
      expect(await redis.pipeline().get("k").exec()).toEqual([text]);
    }
    expect(asksFor(/^upstash-(encoding|response-format):/im)).not.toContain(true);
  });
});

test("an unknown response encoding is refused", () => {
  const options = { url: endpoint.url, token: "t", responseEncoding: "gzip" as never };
  expect(() => new Redis(options)).toThrow(/responseEncoding must be one of false, base64/);
});
