import type { JsonCommands } from "../../../../src/commands/json.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const jsonSamples: Samples<JsonCommands<ReplyMode>> = {
  arrappend: [
    [["d", "$.a", { x: 1 }, 2], 'JSON.ARRAPPEND d $.a {"x":1} 2', [3, null]],
    [["d", ".a", 2], "JSON.ARRAPPEND d .a 2", 3],
  ],
  arrindex: [
    [["d", "$.a", '"x"', 0, 5], 'JSON.ARRINDEX d $.a "x" 0 5', [-1]],
    [["d", "$.a", 1, undefined, 5], "JSON.ARRINDEX d $.a 1 0 5", [2]],
  ],
  arrinsert: [[["d", "$.a", 0, 1, 2], "JSON.ARRINSERT d $.a 0 1 2", [4]]],
  arrlen: [
    [["d", "$.a"], "JSON.ARRLEN d $.a", [2]],
    [["d"], "JSON.ARRLEN d $", [3]],
    [["d", ".a"], "JSON.ARRLEN d .a", null],
  ],
  arrpop: [
    [["d", "$.a", -1], "JSON.ARRPOP d $.a -1", ['{"x":1}', null, '"s"'], [{ x: 1 }, null, "s"]],
    [["d", undefined, 0], "JSON.ARRPOP d $ 0", ["1"], [1]],
  ],
  arrtrim: [
    [["d", "$.a", 0, 1], "JSON.ARRTRIM d $.a 0 1", [2]],
    [["d"], "JSON.ARRTRIM d $ 0 0", [1]],
  ],
  clear: [[["d", "$"], "JSON.CLEAR d $", 1]],
  del: [[["d"], "JSON.DEL d", 1]],
  forget: [[["d", "$.a"], "JSON.FORGET d $.a", 0]],
  get: [
    [["d", "$"], "JSON.GET d $", '[{"a":"00"}]', [{ a: "00" }]],
    [["d"], "JSON.GET d", '"text"', "text"],
    [["d", "$.a", "$.b"], "JSON.GET d $.a $.b", '{"$.a":[1],"$.b":[]}', { "$.a": [1], "$.b": [] }],
    [
      ["d", { indent: "-", newline: "~", space: "_" }, "$"],
      "JSON.GET d INDENT - NEWLINE ~ SPACE _ $",
      "[1]",
      [1],
    ],
    [["d", undefined, "$"], "JSON.GET d $", null],
    [["d", "$.id"], "JSON.GET d $.id", "[9007199254740993]"],
  ],
  merge: [[["d", "$", { a: null }], 'JSON.MERGE d $ {"a":null}', "OK"]],
  mget: [[[["a", "b"], "$.x"], "JSON.MGET a b $.x", ["[1]", null], [[1], null]]],
  mset: [
    [
      [
        { key: "a", path: "$", value: { x: 1 } },
        { key: "b", path: "$.y", value: true },
      ],
      'JSON.MSET a $ {"x":1} b $.y true',
      "OK",
    ],
  ],
  numincrby: [
    [["d", "$.n", 1.5], "JSON.NUMINCRBY d $.n 1.5", "[2.5,null]", [2.5, null]],
    [["d", "$.n", 2], "JSON.NUMINCRBY d $.n 2", 3],
    [["d", "$.n", 3], "JSON.NUMINCRBY d $.n 3", [3, null]],
  ],
  nummultby: [[["d", "$.n", 2], "JSON.NUMMULTBY d $.n 2", "[4]", [4]]],
  numpowby: [[["d", "$.n", 2], "JSON.NUMPOWBY d $.n 2", "[16]", [16]]],
  objkeys: [[["d", "$"], "JSON.OBJKEYS d $", [["1", "a"], null]]],
  objlen: [[["d", "$"], "JSON.OBJLEN d $", [2, null]]],
  resp: [[["d"], "JSON.RESP d", ["{", "a", 1]]],
  set: [
    [["d", "$", { a: [1] }], 'JSON.SET d $ {"a":[1]}', "OK"],
    [["d", "$.a", '"text"', { nx: true }], 'JSON.SET d $.a "text" NX', null],
    [["d", "$.a", 1, { xx: true }], "JSON.SET d $.a 1 XX", "OK"],
  ],
  strappend: [[["d", "$.s", '"more"'], 'JSON.STRAPPEND d $.s "more"', [8]]],
  strlen: [[["d", "$.s"], "JSON.STRLEN d $.s", [4, null]]],
  toggle: [[["d", "$.b"], "JSON.TOGGLE d $.b", [1, 0]]],
  type: [[["d", "$"], "JSON.TYPE d $", ["object"]]],
};
