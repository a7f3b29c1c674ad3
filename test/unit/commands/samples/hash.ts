import type { HashCommands } from "../../../../src/commands/hash.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const hashSamples: Samples<HashCommands<ReplyMode>> = {
  hdel: [[["h", "a", "b"], "HDEL h a b", 2]],
  hexists: [[["h", "a"], "HEXISTS h a", 1]],
  hexpire: [
    [["h", "a", 10], "HEXPIRE h 10 FIELDS 1 a", [1]],
    [["h", ["a", 2], 10, "NX"], "HEXPIRE h 10 NX FIELDS 2 a 2", [0, -2]],
  ],
  hexpireat: [[["h", "a", 99, "gt"], "HEXPIREAT h 99 gt FIELDS 1 a", [2]]],
  hexpiretime: [[["h", ["a"]], "HEXPIRETIME h FIELDS 1 a", [-1]]],
  hget: [
    [["h", "a"], "HGET h a", "1e5"],
    [["h", "a"], "HGET h a", null],
  ],
  hgetall: [
    [
      ["h"],
      "HGETALL h",
      ["1", "2", "__proto__", "[3]"],
      Object.fromEntries([
        ["1", 2],
        ["__proto__", [3]],
      ]),
    ],
    [["h"], "HGETALL h", [], null],
    [["h"], "HGETALL h", null],
  ],
  hgetdel: [
    [["h", "a", 1], "HGETDEL h FIELDS 2 a 1", ["x", null], { a: "x", 1: null }],
    [["h", "a"], "HGETDEL h FIELDS 1 a", [null], null],
  ],
  hgetex: [
    [["h", { ex: 5 }, "a", "b"], "HGETEX h EX 5 FIELDS 2 a b", ["1", "2"], { a: 1, b: 2 }],
    [["h", { persist: true }, "a"], "HGETEX h PERSIST FIELDS 1 a", [null], null],
  ],
  hincrby: [[["h", "a", -1], "HINCRBY h a -1", 4]],
  hincrbyfloat: [[["h", "a", 0.1], "HINCRBYFLOAT h a 0.1", "0.1", 0.1]],
  hkeys: [[["h"], "HKEYS h", ["1", "true"]]],
  hlen: [[["h"], "HLEN h", 0]],
  hmget: [
    [["h", "a", "b"], "HMGET h a b", ["007", null], { a: "007", b: null }],
    [["h", "a", "b"], "HMGET h a b", [null, null], null],
  ],
  hmset: [[["h", { a: { b: 1 } }], 'HMSET h a <{"b":1}>', "OK"]],
  hpersist: [[["h", "a"], "HPERSIST h FIELDS 1 a", [1]]],
  hpexpire: [[["h", ["a", "b"], 10, "LT"], "HPEXPIRE h 10 LT FIELDS 2 a b", [1, 1]]],
  hpexpireat: [[["h", "a", 99], "HPEXPIREAT h 99 FIELDS 1 a", [1]]],
  hpexpiretime: [[["h", "a"], "HPEXPIRETIME h FIELDS 1 a", [99]]],
  hpttl: [[["h", "a"], "HPTTL h FIELDS 1 a", [-2]]],
  hrandfield: [
    [["h"], "HRANDFIELD h", "1"],
    [["h"], "HRANDFIELD h", null],
    [["h", 2], "HRANDFIELD h 2", ["1", "2"]],
    [["h", 2, false], "HRANDFIELD h 2", ["1", "2"]],
    [["h", 1, true], "HRANDFIELD h 1 WITHVALUES", ["1", "2"], { 1: 2 }],
  ],
  hscan: [
    [["h", 0], "HSCAN h 0", ["0", ["1", "2"]], ["0", ["1", 2]]],
    [["h", "5", { match: "a*", count: 3 }], "HSCAN h 5 MATCH a* COUNT 3", ["7", []]],
    [["h", "0", { noValues: true }], "HSCAN h 0 NOVALUES", ["0", ["1"]]],
  ],
  hset: [[["h", { a: 1, 2: "x" }], 'HSET h 2 <"x"> a <1>', 2]],
  hsetex: [
    [["h", {}, { a: 1 }], "HSETEX h FIELDS 1 a <1>", 1],
    [
      ["h", { conditional: "FNX", expiration: { px: 9 } }, { a: 1, b: 2 }],
      "HSETEX h FNX PX 9 FIELDS 2 a <1> b <2>",
      0,
    ],
    [["h", { expiration: { keepttl: true } }, { a: 1 }], "HSETEX h KEEPTTL FIELDS 1 a <1>", 1],
  ],
  hsetnx: [[["h", "a", [1]], "HSETNX h a <[1]>", 1]],
  hstrlen: [[["h", "a"], "HSTRLEN h a", 3]],
  httl: [[["h", ["a", "b"]], "HTTL h FIELDS 2 a b", [9, -1]]],
  hvals: [[["h"], "HVALS h", ["1", "x"], [1, "x"]]],
};
