import type { ArrayCommands } from "../../../../src/commands/array.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const arraySamples: Samples<ArrayCommands<ReplyMode>> = {
  arcount: [[["a"], "ARCOUNT a", 3]],
  ardel: [[["a", 0, "18446744073709551613"], "ARDEL a 0 18446744073709551613", 1]],
  ardelrange: [[["a", [0, 2], ["5", "9"]], "ARDELRANGE a 0 2 5 9", 4]],
  arget: [
    [["a", 3], "ARGET a 3", "[1]", [1]],
    [["a", 3], "ARGET a 3", null],
  ],
  argetrange: [[["a", 0, 1], "ARGETRANGE a 0 1", ["1", null], [1, null]]],
  argrep: [
    [
      [
        "a",
        "-",
        "+",
        { predicates: [{ exact: "x" }, { glob: "y*" }], combine: "AND", noCase: true, limit: 5 },
      ],
      "ARGREP a - + EXACT x GLOB y* AND NOCASE LIMIT 5",
      [1, "18446744073709551613"],
      ["1", "18446744073709551613"],
    ],
    [
      ["a", 0, 9, { predicates: [{ match: "x" }, { re: "^y" }], withValues: true }],
      "ARGREP a 0 9 MATCH x RE ^y WITHVALUES",
      [[1, "2"]],
      [["1", 2]],
    ],
  ],
  arinfo: [
    [
      ["a", { full: true }],
      "ARINFO a FULL",
      [
        "len",
        "18446744073709551613",
        "count",
        2,
        "slice-size",
        64,
        "next-insert-index",
        3,
        "avg-dense-fill",
        "0.5",
      ],
      { len: "18446744073709551613", count: 2, sliceSize: 64, nextInsertIndex: "3", avgDenseFill: 0.5 },
    ],
    [["a"], "ARINFO a", ["len", 1], { len: "1" }],
  ],
  arinsert: [[["a", 1, { b: 2 }], 'ARINSERT a <1> <{"b":2}>', 1, "1"]],
  arlastitems: [
    [["a", 2], "ARLASTITEMS a 2", ["1", null], [1, null]],
    [["a", 2, { rev: true }], "ARLASTITEMS a 2 REV", []],
  ],
  arlen: [[["a"], "ARLEN a", "18446744073709551613"]],
  armget: [[["a", 0, 5], "ARMGET a 0 5", ["x", null]]],
  armset: [
    [["a", { 0: "x", 7: [1] }], 'ARMSET a 0 <"x"> 7 <[1]>', 2],
    [["a", [["18446744073709551613", 1]]], "ARMSET a 18446744073709551613 <1>", 1],
  ],
  arnext: [
    [["a"], "ARNEXT a", 4, "4"],
    [["a"], "ARNEXT a", null],
  ],
  arop: [
    [["a", 0, 9, "SUM"], "AROP a 0 9 SUM", "1.5", 1.5],
    [["a", 0, 9, { match: { x: 1 } }], 'AROP a 0 9 MATCH <{"x":1}>', 2],
    [["a", 0, 9, "min"], "AROP a 0 9 min", null],
  ],
  arring: [[["a", 10, "x", "y"], 'ARRING a 10 <"x"> <"y">', 1, "1"]],
  arscan: [
    [["a", 0, 9], "ARSCAN a 0 9", [[0, "1"]], [["0", 1]]],
    [["a", 0, 9, { limit: 1 }], "ARSCAN a 0 9 LIMIT 1", []],
  ],
  arseek: [[["a", 5], "ARSEEK a 5", 1]],
  arset: [[["a", 5, "x", 1], 'ARSET a 5 <"x"> <1>', 2]],
};
