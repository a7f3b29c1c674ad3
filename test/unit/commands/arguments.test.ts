import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { namespaces } from "../../../src/commands/index.js";
import { TextBulk } from "../../../src/protocol/bytes.js";
import { resolveCodec } from "../../../src/protocol/codec.js";
import { allSpecs, moduleSpecs } from "./samples/index.js";

function send(method: string, args: unknown[], codec = resolveCodec("json")) {
  const spec = (allSpecs[method] ?? moduleSpecs[method])!;
  return spec.encodeArgs(codec.encode, [...args], spec.name.split(" "));
}

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
  ] as [string, unknown[], number][])("bytes are sent byte for byte: %s %o", (method, args, at) => {
    expect(send(method, args)[at]).toBe(bytes);
  });
});

test("a JSON document is parsed once, even if the codec parses too", () => {
  const { json } = namespaces;
  const quoted = new TextBulk(JSON.stringify('"x"'));
  const parsing = resolveCodec({
    encode: JSON.stringify,
    decode: (stored) => JSON.parse(Buffer.from(stored).toString()),
  });
  for (const { decode } of [resolveCodec("json"), parsing])
    expect(json().get!.reply(quoted, decode, ["d"])).toBe('"x"');
});

test("a custom codec encodes only values", () => {
  const codec = resolveCodec({ encode: (value) => `<${JSON.stringify(value)}>`, decode: (stored) => stored });
  expect(send("set", ["k", [1], { ex: 5 }], codec)).toEqual(["SET", "k", "<[1]>", "EX", "5"]);
  expect(send("hset", ["h", { f: 1 }], codec)).toEqual(["HSET", "h", "f", "<1>"]);
  expect(send("zadd", ["z", { score: 1, member: 2 }], codec)).toEqual(["ZADD", "z", "1", "<2>"]);
  expect(send("eval", ["return 1", ["k"], [1]], codec)).toEqual(["EVAL", "return 1", "1", "k", "1"]);
});

/** Arguments that could be misread, such as those that other clients accept. The message names the problem. */
const misread: [string, unknown[], string][] = [
  ["set", ["k", "v", { ttl: 60 }], "argument 3 has an unknown option ttl; it takes ifEq, ifNe, "],
  ["set", ["k", "v", { exp: 60 }], "argument 3 has an unknown option exp; did you mean ex?"],
  ["set", ["k", "v", { nx: null }], "argument 3 has the option nx with null: leave it out"],
  ["set", ["k", "v", { ex: 1, EX: 2 }], "argument 3 has the option ex twice"],
  ["set", ["k", "v", { ex: true }], "argument 3.ex is a boolean"],
  ["set", ["k", "v", { nx: "yes" }], "argument 3.nx is text, not true or false"],
  ["set", ["k", "v", ["EX", 60]], "argument 3 is an array, not an object of options"],
  ["set", ["k", "v", "EX", 60], "argument 3 is text, not an object of options"],
  ["set", ["k", "v", { ifEq: undefined }], "argument 3.ifEq is undefined"],
  ["set", ["k"], "argument 2 is missing"],
  ["set", ["k", Promise.resolve(1)], "argument 2 is a promise: is an `await` missing?"],
  ["get", ["a", "b"], "argument 2 is one too many: at most 1"],
  ["delex", ["k", { ifDeq: undefined }], "argument 2.ifDeq is undefined"],
  ["zadd", ["z", { score: 1, value: "m" }], "argument 2 has an unknown option value; it takes score, member"],
  ["zadd", ["z", 1, "m"], "argument 2 is a number, not an object of options"],
  ["zadd", ["z", { score: 1, member: "m" }, { nx: true }], "argument 3 has an unknown option nx; "],
  [
    "xadd",
    ["s", "*", { f: 1 }, { maxlen: 1 }],
    "argument 4 has an unknown option maxlen; it takes nomkStream, trim",
  ],
  ["xread", ["s", "0", { block: 5 }], "argument 3 has an unknown option block; did you mean blockMS?"],
  [
    "hsetex",
    ["h", { ex: 60 }, { a: 1 }],
    "argument 2 has an unknown option ex; it takes conditional, expiration",
  ],
  ["hset", ["h", "a"], "argument 2 is text, not an object"],
  ["hset", ["h", "a", 1, "b"], "argument 5 is missing"],
  ["hset", ["h", ["a", 1]], "argument 2 is an array, not an object"],
  ["hset", ["h", new Map([["a", 1]])], "argument 2 is an object of class Map, not an object"],
  ["hset", ["h", { a: undefined }], "argument 2.a is undefined"],
  ["mset", [["a", 1]], "argument 1 is an array, not an object"],
  ["mset", ["a"], "argument 1 is text, not an object"],
  ["incr", [null], "argument 1 is null"],
  ["del", ["a", ["b", { c: 1 }]], "argument 2[1] is an object"],
  ["del", ["a", null, undefined], "argument 3 is undefined"],
  ["unlink", [null, null], "argument 1 is null"],
  ["hgetdel", ["h", "a", undefined], "argument 3 is undefined"],
  ["hgetdel", ["h", ["a", undefined]], "argument 2[1] is undefined"],
  ["hgetex", ["h", { ex: 1 }, "a", undefined], "argument 4 is undefined"],
  ["xackdel", ["s", "g", "ACKED", "1-1", {}], "argument 5 is an object"],
  ["eval", ["return 1", 1, "k", "a"], "argument 2 is a number, not an array"],
  ["lpush", ["l", 1, undefined], "argument 3 is undefined"],
  ["get", ["k", { shema: 1 }], "argument 2 is one too many: at most 1"],
];

test.each(misread)("arguments that could be misread are refused: %s %j: %s", (method, args, message) => {
  expect(() => send(method, args)).toThrow(message);
});

/** Arguments in the form of other clients, accepted where they can only mean one thing. */
const understood: [string, unknown[], string][] = [
  ["set", ["k", "v", { EX: 60, NX: true }], "SET k v NX EX 60"],
  ["set", ["k", "v", { keepTTL: true }], "SET k v KEEPTTL"],
  ["set", ["k", "v", { ex: undefined, nx: false }], "SET k v"],
  ["delex", ["k", { ifeq: "x" }], "DELEX k IFEQ x"],
  ["zadd", ["z", { NX: true, INCR: true }, { score: 1, member: "m" }], "ZADD z NX INCR 1 m"],
  ["zadd", ["z", undefined, { score: 1, member: "m" }], "ZADD z 1 m"],
  ["zinterstore", ["d", 1, ["a"], { AGGREGATE: "max" }], "ZINTERSTORE d 1 a AGGREGATE max"],
  ["zrange", ["z", 0, 9, { byscore: true, REV: true }], "ZRANGE z 0 9 BYSCORE REV"],
  ["zrange", ["z", 0, 9, { byScore: true, offset: 1 }], "ZRANGE z 0 9 BYSCORE LIMIT 1 -1"],
  ["xreadgroup", ["g", "c", "s", ">", { noack: true }], "XREADGROUP GROUP g c NOACK STREAMS s >"],
  ["scan", [0, { Match: "a*", TYPE: "hash" }], "SCAN 0 MATCH a* TYPE hash"],
  ["hset", ["h", "a", 1, "b", { c: 2 }], 'HSET h a 1 b {"c":2}'],
  ["hset", ["h", new Uint8Array([97]), 1], "HSET h 97 1"],
  ["hmset", ["h", "a", 1], "HMSET h a 1"],
  ["mset", ["a", 1, "b", 2], "MSET a 1 b 2"],
  ["msetnx", ["a", 1], "MSETNX a 1"],
  ["del", ["a", null, ["b"]], "DEL a b"],
  ["hgetdel", ["h", "a", ["b", "c"]], "HGETDEL h FIELDS 3 a b c"],
  ["xdelex", ["s", undefined, ["1-1"], "2-1"], "XDELEX s IDS 2 1-1 2-1"],
  ["json.arrappend", ["k", "$", [1, "x"]], 'JSON.ARRAPPEND k $ [1,"x"]'],
  ["json.arrappend", ["k", "$", []], "JSON.ARRAPPEND k $ []"],
  ["json.arrinsert", ["k", "$", 0, [1]], "JSON.ARRINSERT k $ 0 [1]"],
  ["json.arrindex", ["k", "$", [1, "x"]], 'JSON.ARRINDEX k $ [1,"x"] 0'],
  ["json.merge", ["k", "$.a", [10, 12]], "JSON.MERGE k $.a [10,12]"],
];

test.each(understood)("%s %j sends %s", (method, args, sent) => {
  expect(send(method, args).join(" ")).toBe(sent);
});

test.each(["append", "setrange", "echo", "hexists", "hincrby"])("%s does not spread an array", (method) => {
  const args = [["k", "f"], "0", "1"].slice(0, method === "echo" ? 1 : 3);
  expect(() => send(method, args)).toThrow(/^argument 1 is an array/);
  if (method !== "echo")
    expect(() => send(method, ["k", ["a", "b"], "1"])).toThrow(/^argument 2 is an array/);
});

test("an option's alias also decides how the reply is decoded", () => {
  const args: any[] = ["z", 0, 1, { WITHSCORES: true }];
  const spec = allSpecs.zrange!;
  spec.encodeArgs((value) => value, args);
  expect(spec.reply([new TextBulk("m"), new TextBulk("1.5")], resolveCodec("json").decode, args)).toEqual([
    "m",
    1.5,
  ]);
});

test.each(["[1, 2]", "new Float32Array([1, 2])", "new Float64Array([1, 2])"])(
  "a vector may be %s of another realm",
  (vector) => {
    const words = ["VALUES", "2", "1", "2"];
    expect(send("vadd", ["v", vm.runInNewContext(vector), "e"]).slice(2, 6)).toEqual(words);
    expect(send("vsim", ["v", vm.runInNewContext(vector)]).slice(2, 6)).toEqual(words);
  },
);
