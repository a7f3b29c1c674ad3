import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { StringCommands } from "../../../../src/commands/string.js";
import type { Samples } from "./sample.js";

export const stringSamples: Samples<StringCommands<ReplyMode>> = {
  append: [[["k", "abc"], "APPEND k abc", 3]],
  decr: [[["k"], "DECR k", -1]],
  decrby: [[["k", 5], "DECRBY k 5", "-9007199254740993"]],
  delex: [
    [["k"], "DELEX k", 1],
    [["k", { ifEq: { a: 1 } }], 'DELEX k IFEQ <{"a":1}>', 0],
    [["k", { ifNe: "x" }], 'DELEX k IFNE <"x">', 1],
    [["k", { ifDne: "00ff" }], "DELEX k IFDNE 00ff", 1],
  ],
  digest: [
    [["k"], "DIGEST k", "0011223344556677"],
    [["k"], "DIGEST k", null],
  ],
  get: [
    [["k"], "GET k", '{"a":1}', { a: 1 }],
    [["k"], "GET k", "00123"],
    [["k"], "GET k", null],
  ],
  getdel: [[["k"], "GETDEL k", "12", 12]],
  getex: [
    [["k"], "GETEX k", "v"],
    [["k", {}], "GETEX k", "v"],
    [["k", { ex: 60 }], "GETEX k EX 60", "v"],
    [["k", { px: 60 }], "GETEX k PX 60", "v"],
    [["k", { exat: 9 }], "GETEX k EXAT 9", "v"],
    [["k", { pxat: 9 }], "GETEX k PXAT 9", null],
    [["k", { persist: true }], "GETEX k PERSIST", "v"],
    [["k", { persist: false }], "GETEX k", "v"],
  ],
  getrange: [[["k", 0, -1], "GETRANGE k 0 -1", "12"]],
  getset: [[["k", { a: 1 }], 'GETSET k <{"a":1}>', "old"]],
  incr: [[["k"], "INCR k", 1]],
  incrby: [[["k", 2], "INCRBY k 2", 3]],
  incrbyfloat: [
    [["k", 0.5], "INCRBYFLOAT k 0.5", "10.5", 10.5],
    [["k", 1], "INCRBYFLOAT k 1", "5", 5],
  ],
  increx: [
    [["k"], "INCREX k", [1, 1]],
    [
      ["k", { byInt: 5, lBound: 0, uBound: 9, saturate: true, ex: 60, enx: true }],
      "INCREX k BYINT 5 SATURATE LBOUND 0 UBOUND 9 EX 60 ENX",
      [9, 4],
    ],
    [["k", { byFloat: 0.5 }], "INCREX k BYFLOAT 0.5", ["1.5", "0.5"], [1.5, 0.5]],
  ],
  lcs: [
    [["a", "b"], "LCS a b", "12"],
    [["a", "b", { len: true }], "LCS a b LEN", 2],
    [
      ["a", "b", { idx: true, minMatchLen: 2, withMatchLen: true }],
      "LCS a b IDX MINMATCHLEN 2 WITHMATCHLEN",
      ["matches", [[[2, 3], [0, 1], 2]], "len", 4],
      { matches: [[[2, 3], [0, 1], 2]], len: 4 },
    ],
  ],
  mget: [
    [["a", "b"], "MGET a b", ["1", null], [1, null]],
    [[["a", "b"]], "MGET a b", ["[1]", "x"], [[1], "x"]],
  ],
  mset: [[[{ a: 1, b: "x" }], 'MSET a <1> b <"x">', "OK"]],
  msetex: [
    [[{ a: 1, b: 2 }], "MSETEX 2 a <1> b <2>", 1],
    [[{ a: 1 }, { nx: true, px: 5 }], "MSETEX 1 a <1> NX PX 5", 0],
  ],
  msetnx: [[[{ a: 1 }], "MSETNX a <1>", 0]],
  psetex: [[["k", 100, [1]], "PSETEX k 100 <[1]>", "OK"]],
  set: [
    [["k", "v"], 'SET k <"v">', "OK"],
    [["k", null], "SET k <null>", "OK"],
    [["k", "v", { nx: true, ex: 5 }], 'SET k <"v"> NX EX 5', null],
    [["k", "v", { xx: true, px: 5 }], 'SET k <"v"> XX PX 5', "OK"],
    [["k", "v", { get: true }], 'SET k <"v"> GET', "12", 12],
    [["k", "v", { get: true, keepTtl: true }], 'SET k <"v"> GET KEEPTTL', null],
    [["k", "v", { exat: 7 }], 'SET k <"v"> EXAT 7', "OK"],
    [["k", "v", { pxat: 7, ex: undefined, nx: false }], 'SET k <"v"> PXAT 7', "OK"],
    [["k", "v", { ifEq: [1], ex: 5 }], 'SET k <"v"> IFEQ <[1]> EX 5', "OK"],
    [["k", "v", { ifDeq: "00ff" }], 'SET k <"v"> IFDEQ 00ff', null],
    [["k", "v", undefined], 'SET k <"v">', "OK"],
  ],
  setex: [[["k", 60, 1.5], "SETEX k 60 <1.5>", "OK"]],
  setnx: [[["k", true], "SETNX k <true>", 1]],
  setrange: [[["k", 6, "abc"], "SETRANGE k 6 abc", 9]],
  strlen: [[["k"], "STRLEN k", 0]],
  substr: [[["k", 0, 1], "SUBSTR k 0 1", "ab"]],
};
