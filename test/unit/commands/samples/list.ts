import type { ListCommands } from "../../../../src/commands/list.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const listSamples: Samples<ListCommands<ReplyMode>> = {
  blmove: [
    [["a", "b", "left", "right", 1], "BLMOVE a b left right 1", "12", 12],
    [["a", "b", "left", "right", 1], "BLMOVE a b left right 1", null],
  ],
  blmovem: [
    [["a", "b", "LEFT", "RIGHT", 1], "BLMOVEM a b LEFT RIGHT 1", ["1"], [1]],
    [
      ["a", "b", "LEFT", "RIGHT", 1, { exactly: 2, order: "BULK" }],
      "BLMOVEM a b LEFT RIGHT 1 EXACTLY 2 BULK",
      null,
    ],
  ],
  blmpop: [
    [[1.5, 2, ["a", "b"], "LEFT", 3], "BLMPOP 1.5 2 a b LEFT COUNT 3", ["1", ["1", "x"]], ["1", [1, "x"]]],
    [[1, 1, ["a"], "RIGHT"], "BLMPOP 1 1 a RIGHT", null],
  ],
  blpop: [
    [["a", 0], "BLPOP a 0", ["1", "2"], ["1", 2]],
    [[["a", "b"], 1], "BLPOP a b 1", null],
  ],
  brpop: [[[["a", "b"], 1], "BRPOP a b 1", ["b", "[1]"], ["b", [1]]]],
  brpoplpush: [[["a", "b", 2], "BRPOPLPUSH a b 2", "x"]],
  lindex: [[["l", -1], "LINDEX l -1", "3", 3]],
  linsert: [[["l", "before", 1, { a: 1 }], 'LINSERT l before <1> <{"a":1}>', -1]],
  llen: [[["l"], "LLEN l", 2]],
  lmove: [[["a", "b", "right", "left"], "LMOVE a b right left", null]],
  lmovem: [
    [
      ["a", "b", "LEFT", "LEFT", { count: 2, order: "OBO" }],
      "LMOVEM a b LEFT LEFT COUNT 2 OBO",
      ["2", "1"],
      [2, 1],
    ],
    [["a", "b", "LEFT", "LEFT"], "LMOVEM a b LEFT LEFT", null],
  ],
  lmpop: [
    [[2, ["a", "b"], "LEFT"], "LMPOP 2 a b LEFT", ["a", ["1"]], ["a", [1]]],
    [[1, ["a"], "RIGHT", 2], "LMPOP 1 a RIGHT COUNT 2", null],
  ],
  lpop: [
    [["l"], "LPOP l", "1", 1],
    [["l", 2], "LPOP l 2", ["1", "x"], [1, "x"]],
    [["l", undefined], "LPOP l", null],
  ],
  lpos: [
    [["l", "x"], 'LPOS l <"x">', 3],
    [["l", "x", { rank: -1 }], 'LPOS l <"x"> RANK -1', null],
    [["l", "x", { count: 0, maxLen: 9 }], 'LPOS l <"x"> COUNT 0 MAXLEN 9', [0, 3]],
  ],
  lpush: [[["l", 1, [2], { a: 3 }], 'LPUSH l <1> <[2]> <{"a":3}>', 3]],
  lpushx: [[["l", "x"], 'LPUSHX l <"x">', 0]],
  lrange: [[["l", 0, -1], "LRANGE l 0 -1", ["1", "01", "{}"], [1, "01", {}]]],
  lrem: [[["l", 0, 1], "LREM l 0 <1>", 1]],
  lset: [[["l", 0, "x"], 'LSET l 0 <"x">', "OK"]],
  ltrim: [[["l", 1, 2], "LTRIM l 1 2", "OK"]],
  rpop: [[["l", 1], "RPOP l 1", ["1"], [1]]],
  rpoplpush: [[["a", "b"], "RPOPLPUSH a b", "x"]],
  rpush: [[["l", "a", "b"], 'RPUSH l <"a"> <"b">', 2]],
  rpushx: [[["l", "a"], 'RPUSHX l <"a">', 0]],
};
