import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../../src/errors.js";
import { codecFrom } from "../../../src/wire/codec.js";
import { toWords } from "../../../src/wire/words.js";
import { allRows } from "./samples/index.js";

function send(method: string, args: unknown[], codec = codecFrom("json")) {
  const row = allRows[method]!;
  return toWords(row.name, row.words(codec.encode, ...args));
}

const refused: [string, unknown[]][] = [
  ["get", [undefined]],
  ["del", ["a", undefined]],
  ["mget", [["a", undefined]]],
  ["set", ["k", undefined]],
  ["set", ["k", Number.NaN]],
  ["set", ["k", () => 1]],
  ["set", ["k", Symbol("s")]],
  ["set", ["k", "\ud800"]],
  ["set", ["k", 1, { ex: Number.NaN }]],
  ["set", ["k", 1, { ifEq: undefined }]],
  ["setex", ["k", undefined, 1]],
  ["hset", ["h", { a: undefined }]],
  ["hset", ["h", { a: Number.NaN }]],
  ["mset", [{ a: undefined }]],
  ["lpush", ["l", 1, undefined]],
  ["sadd", ["s", undefined]],
  ["smismember", ["s", [1, undefined]]],
  ["zadd", ["z", { score: 1, member: undefined }]],
  ["zadd", ["z", { score: undefined, member: "a" }]],
  ["zadd", ["z", { score: Number.NaN, member: "a" }]],
  ["zincrby", ["z", Number.NaN, "a"]],
  ["geoadd", ["g", { longitude: undefined, latitude: 1, member: "a" }]],
  ["xadd", ["s", "*", { f: undefined }]],
  ["eval", ["return 1", ["k", undefined], []]],
  ["eval", ["return 1", [], [undefined]]],
  ["publish", ["c", undefined]],
];

describe("what can't be sent is refused before anything is", () => {
  test.each(refused)("%s %o", (method, args) => {
    expect(() => send(method, args)).toThrow(ArgumentError);
  });
});

describe("bytes are sent byte for byte", () => {
  const bytes = new Uint8Array([0, 255, 13, 10]);
  test.each([
    ["get", [bytes], 1],
    ["set", [bytes, bytes], 1],
    ["set", ["k", bytes, { ex: 1 }], 2],
    ["hset", ["h", { f: bytes }], 3],
    ["del", ["a", bytes], 2],
    ["lpush", ["l", bytes], 2],
    ["sadd", ["s", bytes], 2],
    ["zadd", ["z", { score: 1, member: bytes }], 3],
    ["restore", ["k", 0, bytes], 3],
    ["eval", ["return 1", [bytes], [bytes]], 3],
    ["append", ["k", bytes], 2],
  ] as [string, unknown[], number][])("%s %o", (method, args, at) => {
    expect(send(method, args)[at]).toBe(bytes);
  });
});

test("a codec of one's own sees values, and nothing else", () => {
  const codec = codecFrom({ encode: (value) => `<${JSON.stringify(value)}>`, decode: (stored) => stored });
  expect(send("set", ["k", [1], { ex: 5 }], codec)).toEqual(["SET", "k", "<[1]>", "EX", "5"]);
  expect(send("hset", ["h", { f: 1 }], codec)).toEqual(["HSET", "h", "f", "<1>"]);
  expect(send("zadd", ["z", { score: 1, member: 2 }], codec)).toEqual(["ZADD", "z", "1", "<2>"]);
  expect(send("eval", ["return 1", ["k"], [1]], codec)).toEqual(["EVAL", "return 1", "1", "k", "1"]);
});

test("a hundred thousand keys or values in one call", () => {
  const many = Array.from({ length: 200_000 }, (_, i) => `k${i}`);
  expect(send("mget", [many])).toHaveLength(200_001);
  expect(send("smismember", ["s", many])).toHaveLength(200_002);
});
