import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CodecOption, Redis, type RedisOptions } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { startEmbeddedEngine } from "../../../gateway/src/engine/embedded.js";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { anyCharacter } from "../../support/any-character.js";
import { scaled } from "../../support/random-tests.js";

// Whatever is stored comes back, through the real gateway: by every codec, entry and reply format.

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway({ engine: await startEmbeddedEngine(), port: 0 });
});
afterAll(() => gateway.close());

const clients: [string, (options: RedisOptions) => Redis][] = [
  ["Node entry, RESP2", (options) => new Redis(options)],
  ["fetch entry, JSON", (options) => new FetchRedis({ ...options, responseFormat: "json" })],
];

/** Well-formed text with characters of one to four bytes, and texts that mean something to RESP or JSON. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom(
    "",
    "OK",
    "null",
    "true",
    "-0",
    "1e5",
    "00",
    "1.50",
    '"a"',
    "{",
    "[]",
    "\r\n",
    "$-1\r\n",
    "+OK\r\n",
  ),
  fc.double().map(String),
  fc.bigInt({ max: 2n ** 70n, min: -(2n ** 70n) }).map(String),
);

const bytes = fc.uint8Array({ maxLength: 64 });

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
);

/** A tree of JSON values. */
const json = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, fc.boolean(), fc.constant(null), number),
    fc.array(tie("tree"), { maxLength: 5 }),
    fc.dictionary(text, tie("tree"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).tree;

/** Values that the default codec returns unchanged: not texts, which may look like JSON, and not unsafe integers, which it returns as text. */
const tree = json.filter(
  (value) => typeof value !== "string" && (!Number.isInteger(value) || Number.isSafeInteger(value)),
);

/** Text that the default codec does not read as JSON. */
const plainText = text.filter((value) => {
  try {
    JSON.parse(value);
    return false;
  } catch {
    return true;
  }
});

/** JSON of everything, text too. */
const custom: CodecOption = {
  encode: (value) => JSON.stringify(value),
  decode: (stored) => JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(stored)),
};

const codecs: [string, CodecOption, fc.Arbitrary<unknown>][] = [
  ["json, trees", "json", tree],
  ["json, text", "json", plainText],
  ["text", "text", text],
  ["bytes", "bytes", bytes],
  ["two functions, trees and text", custom, json],
];

let run = 0;

describe.each(clients)("%s", (_client, make) => {
  test.each(codecs)("values make a round trip: %s", async (_codec, codec, value) => {
    const redis = make({ url: gateway.url, token: gateway.token, codec });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, value), { minLength: 1, maxLength: 6 }),
        text,
        async (fields, name) => {
          // A separate key for each run: nothing has to be removed in between.
          const key = `${run++}:${name}`;
          const values = fields.map(([, item]) => item);
          const object = Object.fromEntries(fields);
          const [, , , one, hash, list] = await redis
            .pipeline()
            .set(key, values[0])
            .hset(`${key}:h`, object)
            .rpush(`${key}:l`, ...values)
            .get(key)
            .hgetall(`${key}:h`)
            .lrange<unknown>(`${key}:l`, 0, -1)
            .exec();
          expect(one).toStrictEqual(values[0]);
          expect(hash).toStrictEqual(object);
          expect(list).toStrictEqual(values);
          expect(await redis.get(key)).toStrictEqual(values[0]);
          expect(
            await Promise.all([redis.hgetall(`${key}:h`), redis.lrange(`${key}:l`, 0, -1)]),
          ).toStrictEqual([object, values]);
        },
      ),
      { numRuns: scaled(50) },
    );
  });
});
