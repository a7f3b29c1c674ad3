import { randomBytes } from "node:crypto";
import zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  CompressionError,
  type CompressionFormat,
  type CompressOptions,
  compress,
} from "../../../src/compress.js";
import { ArgumentError, ConfigError, WarmlineError } from "../../../src/errors.js";
import { Redis } from "../../../src/index.js";
import { anyCharacter } from "../../support/any-character.js";

const hasZstd = "zstdCompressSync" in zlib;
const formats: CompressionFormat[] = hasZstd ? ["gzip", "zstd"] : ["gzip"];
const ways = formats.flatMap((format) => [true, false].map((text) => ({ format, text })));

/** The bytes that Redis stores of a value. */
const stored = (codec: { encode(value: unknown): string | Uint8Array }, value: unknown) =>
  new Uint8Array(Buffer.from(codec.encode(value)));
const again = (options: CompressOptions<any, any>, value: unknown) => {
  const codec = compress(options);
  return codec.decode(stored(codec, value));
};
const MARKS = [
  "\0\u0001\u0002",
  "\0\u0001\u0002\0\u0001",
  "\0\u0001\u0002\0g",
  "\0\u0001\u0002\u0009\u0009",
  "warmline:gzip:",
  "warmline:zstd:",
];

describe.each(ways)("$format, as text: $text", (way) => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 60 });
  const anyStart = fc.constantFrom("", ...MARKS);
  const threshold = fc.constantFrom(0, 20, 1_024);

  test("text and bytes come back as they were, also those that begin as compressed ones do", () => {
    fc.assert(
      fc.property(
        anyStart,
        anyText,
        fc.integer({ min: 1, max: 40 }),
        threshold,
        (start, part, times, least) => {
          const text = start + part.repeat(times);
          expect(again({ ...way, threshold: least, codec: "text" }, text)).toBe(text);
          const bytes = new Uint8Array(Buffer.from(text, "latin1"));
          expect(again({ ...way, threshold: least, codec: "bytes" }, bytes)).toEqual(bytes);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("values come back as the codec's own", () => {
    const value = {
      id: "7",
      list: Array.from({ length: 200 }, (_, n) => ({ n, name: "Löwe 🦁" })),
      none: null,
    };
    expect(again(way, value)).toEqual(value);
    const codec = {
      encode: (date: unknown) => (date as Date).toISOString().repeat(100),
      decode: (bytes: Uint8Array) => new Date(Buffer.from(bytes).toString().slice(0, 24)),
    };
    const date = new Date(0);
    expect(again({ ...way, codec }, date)).toEqual(date);
  });

  test("a value at the threshold is compressed, and one below it is stored as it is", () => {
    const codec = compress({ ...way, threshold: 400, codec: "text" });
    for (const text of ["a".repeat(399), "é".repeat(199)]) expect(codec.encode(text)).toBe(text);
    for (const text of ["a".repeat(400), "é".repeat(200)])
      expect(stored(codec, text).length).toBeLessThan(100);
    expect(compress({ ...way, threshold: 0 }).encode(1)).toBe("1");
  });

  test("what does not become smaller is stored as it is", () => {
    const bytes = new Uint8Array(randomBytes(5_000));
    expect(compress({ ...way, codec: "bytes" }).encode(bytes)).toBe(bytes);
  });

  test("values are compressed from 1,024 bytes, and have at most 64 MiB, by default", () => {
    const codec = compress({ ...way, codec: "text" });
    expect(codec.encode("a".repeat(1_023))).toBe("a".repeat(1_023));
    expect(stored(codec, "a".repeat(1_024)).length).toBeLessThan(100);
    expect(() => codec.encode("a".repeat(2 ** 26 + 1))).toThrow("maxSize is 67108864");
  });

  test("a value of maxSize is read, and one above it is not", () => {
    const text = "a".repeat(2_000);
    expect(again({ ...way, codec: "text", maxSize: 2_000 }, text)).toBe(text);
    const small = compress({ ...way, codec: "text", maxSize: 1_999 });
    expect(() => small.encode(text)).toThrow(ArgumentError);
    expect(() => small.encode(text)).toThrow("compress: the value has 2000 bytes, and maxSize is 1999");
    const bomb = stored(compress({ ...way, codec: "text" }), "a".repeat(50_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    expect(() => small.decode(bomb)).toThrow(CompressionError);
    expect(() => small.decode(bomb)).toThrow("compress: the value has more than 1999 bytes: raise maxSize");
  });

  test("a value whose contents are damaged is an error", () => {
    const codec = compress({ ...way, codec: "text" });
    const bytes = stored(codec, "text ".repeat(1_000));
    const start = way.text ? 14 : 5;
    const damaged = bytes.fill(way.text ? 0x41 : 0xff, start, start + 8);
    expect(() => codec.decode(damaged)).toThrow(/^compress: the value is damaged: /);
  });

  test("the level changes the size, and values of any level are read", () => {
    const text = Array.from({ length: 2_000 }, (_, n) => n * n).join();
    const sizes = [1, 9].map((level) => stored(compress({ ...way, level, codec: "text" }), text).length);
    expect(sizes[1]).not.toBe(sizes[0]);
    expect(again({ ...way, level: 9, codec: "text" }, text)).toBe(text);
  });
});

test("each way reads the values of the others, and values from before", () => {
  const text = "text ".repeat(1_000);
  const values = ways.map((way) => stored(compress({ ...way, codec: "text" }), text));
  for (const way of ways) {
    const codec = compress({ ...way, codec: "text" });
    for (const value of values) expect(codec.decode(value)).toBe(text);
    for (const plain of ["", "1", "{}", "warmline:", "warmline:lz4:AAAA", "\0\u0001", "\0\u0001\u0002\u0003"])
      expect(codec.decode(new Uint8Array(Buffer.from(plain)))).toBe(plain);
  }
});

describe("values that GLIDE 2.5.2 has stored", () => {
  const values = {
    zstd: "AAECAAEotS/9AFjlAACoY29tcHJlc3NlZCBieSBHTElERSwgAQDJSE0m",
    lz4: "AAECAAL8AAAA/wZjb21wcmVzc2VkIGJ5IEdMSURFLCAVAM9QSURFLCA=",
  };
  const read = (base64: string) =>
    compress({ codec: "text" }).decode(new Uint8Array(Buffer.from(base64, "base64")));

  test("zstd values are read and written with the same header; without zstd in the runtime, an error says what to do", () => {
    const text = "compressed by GLIDE, ".repeat(12);
    if (!hasZstd) {
      const needs = "zstd needs a runtime that has it: Node 22.15, 23.8 or later, Bun or Deno";
      expect(() => read(values.zstd)).toThrow(`compress: the value is compressed by zstd; ${needs}`);
      expect(() => compress({ format: "zstd" })).toThrow(ConfigError);
      return;
    }
    expect(read(values.zstd)).toBe(text);
    const own = stored(compress({ format: "zstd", codec: "text", threshold: 0 }), text);
    expect(Buffer.from(own.subarray(0, 9))).toEqual(Buffer.from(values.zstd, "base64").subarray(0, 9));
  });

  test.each([
    [values.lz4, "the value is compressed by backend 2, LZ4; only gzip and zstd are known"],
    ["AAECAGNiYg==", "the value is compressed by backend 99; only gzip and zstd are known"],
    ["AAECCWNiYg==", "the header has version 9; version 0 is known"],
  ])("another format or version is an error by its name: %s", (value, message) => {
    expect(() => read(value)).toThrow(`compress: ${message}`);
    try {
      read(value);
    } catch (error) {
      expect(error).toBeInstanceOf(WarmlineError);
      expect(error).toMatchObject({ name: "CompressionError", outcome: "answered" });
    }
  });
});

test.each([
  [{ format: "lz4" }, 'format must be "gzip" or "zstd"'],
  [{ threshold: -1 }, "threshold must be a number of bytes from 0"],
  [{ maxSize: 0 }, "maxSize must be a whole number of bytes above 0 to 2147483647"],
  [{ maxSize: 1.5 }, "maxSize must be a whole number"],
  [{ maxSize: 2 ** 31 }, "maxSize must be"],
  [{ level: 10 }, "level must be a whole number from 0 to 9 for gzip"],
  [{ level: 1.5 }, "level must be a whole number"],
  [{ text: "yes" }, "text must be true or false"],
  [{ codec: "xml" }, 'codec must be "json"'],
  [{ treshold: 5 }, "unknown option treshold; did you mean threshold?"],
  [null, "the options must be an object"],
])("%j is refused", (options, message) => {
  expect(() => compress(options as never)).toThrow(ConfigError);
  expect(() => compress(options as never)).toThrow(message);
});

test("a value that can't be sent is returned unchanged, so that the client's error names its place", () => {
  const codec = compress();
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const value of [undefined, circular, Number.NaN, "\ud800"]) expect(codec.encode(value)).toBe(value);
});

test("its values have the type of the codec's", () => {
  expectTypeOf(compress({ codec: "text" }).decode).returns.toEqualTypeOf<string>();
  expectTypeOf(compress({ codec: "bytes", text: true }).decode).returns.toEqualTypeOf<Uint8Array>();
  expectTypeOf(compress().decode).returns.toEqualTypeOf<unknown>();
  const dates = { encode: String, decode: () => new Date() };
  expectTypeOf(compress({ codec: dates }).decode).returns.toEqualTypeOf<Date>();
  const redis = new Redis({ url: "http://localhost", token: "t", codec: compress({ codec: "text" }) });
  expectTypeOf(redis).toEqualTypeOf<Redis<string>>();
});
