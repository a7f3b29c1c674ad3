import vm from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidArgument, toScalarArg, toValueArg } from "../../../src/protocol/args.js";
import { toPath, toResp2 } from "../../../src/protocol/request.js";

test.each([
  ["text", "text"],
  ["", ""],
  [12, "12"],
  [-0.5, "-0.5"],
  [10n ** 20n, "100000000000000000000"],
  [true, "true"],
  [null, "null"],
  [{ a: [1, undefined] }, '{"a":[1,null]}'],
  [{}, "{}"],
  [{ nested: {} }, '{"nested":{}}'],
  [Object.create(null), "{}"],
  [new Number(5), "5"],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
  [new URL("http://host/"), "http://host/"],
  [
    { at: new Date(0), in: Buffer.from("a") },
    '{"at":"1970-01-01T00:00:00.000Z","in":{"type":"Buffer","data":[97]}}',
  ],
])("the value %s is sent as %j", (value, word) => {
  expect(toValueArg(value)).toBe(word);
});

test("bytes are sent as they are", () => {
  const bytes = new Uint8Array([0, 255]);
  expect(toValueArg(bytes)).toBe(bytes);
  expect(toScalarArg(bytes)).toBe(bytes);
});

test("bytes and objects of another realm are treated like those of this realm", () => {
  const bytes = vm.runInNewContext("new Uint8Array([0, 255])");
  expect(bytes).not.toBeInstanceOf(Uint8Array);
  expect(toValueArg(bytes)).toBe(bytes);
  expect(toScalarArg(bytes)).toBe(bytes);
  expect(toResp2([["SET", "k", bytes]]).subarray(-4)).toEqual(new Uint8Array([0, 255, 13, 10]));
  const values = vm.runInNewContext("[{ a: [1, null] }, new Date(0), [], {}]");
  expect(values.map(toValueArg)).toEqual(['{"a":[1,null]}', "1970-01-01T00:00:00.000Z", "[]", "{}"]);
});

test.each<[string, unknown]>([
  ["NaN", { a: { b: Number.NaN } }],
  ["Infinity", [1, Number.POSITIVE_INFINITY]],
  ["-Infinity", { a: [Number.NEGATIVE_INFINITY, null] }],
  ["NaN", new Date(Number.NaN)],
  ["NaN", { at: new Date("nonsense") }],
  ["NaN", [[vm.runInNewContext("new Date(NaN)")]]],
])("a value that contains %s, which JSON would store as null, is refused", (text, value) => {
  expect(() => toValueArg(value)).toThrow(`contains ${text}, which JSON can't hold`);
});

test("null, and text that looks like it, is stored", () => {
  for (const value of [{ a: null }, [null, "null"], { null: ":null," }, { a: { toJSON: () => null } }])
    expect(toValueArg(value)).toBe(JSON.stringify(value));
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;

class Secret {
  #secret = 1;
  get secret() {
    return this.#secret;
  }
}

const withoutForm: [string, unknown][] = [
  ["is undefined", undefined],
  ["is NaN", Number.NaN],
  ["is a function", () => "secret"],
  ["is a symbol", Symbol("secret")],
  ["is text with a lone surrogate: send bytes", "\ud800"],
];

const withoutJson: [string, unknown][] = [
  ["can't be serialized as JSON", cycle],
  ["can't be serialized as JSON", { toJSON: () => undefined }],
  ["is an object of class Map", new Map([["secret", 1]])],
  ["is an object of class Set", new Set(["secret"])],
  ["is a promise: is an `await` missing?", Promise.resolve("secret")],
  ["is an object of class RegExp", /secret/],
  ["is an object of class Error", new TypeError("secret")],
  [
    "is an object of class Error",
    new (class ErrorWithCode extends Error {
      code = 1;
    })(),
  ],
  ["is an object of class ArrayBuffer", new ArrayBuffer(2)],
  ["is an object of class Uint16Array", new Uint16Array(2)],
  ["is an object of class Map", vm.runInNewContext("new Map([[1, 2]])")],
  ["is an object of class Error", vm.runInNewContext("Object.assign(new Error('secret'), { code: 1 })")],
  ["is an object of class Headers", new Headers({ secret: "1" })],
  ["is an object of class URLSearchParams", new URLSearchParams("secret=1")],
  ["is an object of class Secret", new Secret()],
  ["contains an object of class Map", { a: [new Map()] }],
  ["contains a promise: is an `await` missing?", { a: Promise.resolve(1), b: 2 }],
  ["contains an object of class Uint8Array", { a: new Uint8Array(2) }],
];

test.each(withoutForm)("a value that %s is refused", (problem, value) => {
  expect(() => toValueArg(value)).toThrow(new InvalidArgument(problem));
});

test.each(withoutJson)("a value that %s is refused, since JSON can't hold it", (problem, value) => {
  const reason = problem.includes("class") ? ", which JSON can't hold" : "";
  expect(() => toValueArg(value)).toThrow(new InvalidArgument(problem + reason));
});

test.each([
  ...withoutForm,
  ["is null", null],
  ["is a boolean", true],
  ["is an object", {}],
  ["is an array", ["a"]],
  ["is an object of class Date", new Date()],
] as [string, unknown][])("a plain argument that %s is refused", (problem, value) => {
  expect(() => toScalarArg(value)).toThrow(new InvalidArgument(problem));
});

test("RESP2 requests contain the arguments byte for byte", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array()), { minLength: 1 })),
      (commands) => {
        const expected = commands.map((args) => {
          const bulks = args.map((word) => {
            const bytes = Buffer.from(word as string);
            return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);
          });
          return Buffer.concat([Buffer.from(`*${args.length}\r\n`), ...bulks]);
        });
        expect(Buffer.from(toResp2(commands)).equals(Buffer.concat(expected))).toBe(true);
      },
    ),
  );
});

test("a command in the path escapes its arguments and keeps the last for the body", () => {
  const { path, body } = toPath(["SET", "a/b?é", new Uint8Array([0, 0xff]), "last"]);
  expect(path).toBe("SET/a%2Fb%3F%C3%A9/%00%ff");
  expect(Buffer.from(body).toString()).toBe("last");
});
