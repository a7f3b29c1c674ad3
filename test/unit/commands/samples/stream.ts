import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { StreamCommands } from "../../../../src/commands/stream.js";
import type { Plain, Samples } from "./sample.js";

const entries: Plain = [
  ["1-1", ["f", "1", "g", "x"]],
  ["2-0", ["f", "[2]"]],
];
const read = [
  ["1-1", ["f", 1, "g", "x"]],
  ["2-0", ["f", [2]]],
];

export const streamSamples: Samples<StreamCommands<ReplyMode>> = {
  xack: [
    [["s", "g", "1-1"], "XACK s g 1-1", 1],
    [["s", "g", ["1-1", "2-0"]], "XACK s g 1-1 2-0", 2],
  ],
  xackdel: [[["s", "g", "DELREF", "1-1", "2-0"], "XACKDEL s g DELREF IDS 2 1-1 2-0", [1, -1]]],
  xadd: [
    [["s", "*", { f: 1, g: "x" }], 'XADD s * f <1> g <"x">', "1-1"],
    [["s", "5-*", { f: { a: 1 } }, { nomkStream: true }], 'XADD s NOMKSTREAM 5-* f <{"a":1}>', null],
    [
      ["s", "*", { f: 1 }, { trim: { type: "MAXLEN", threshold: 10, comparison: "~", limit: 5 } }],
      "XADD s MAXLEN ~ 10 LIMIT 5 * f <1>",
      "1-1",
    ],
    [
      ["s", "*", { f: 1 }, { trim: { type: "minid", threshold: "3-0", comparison: "=" } }],
      "XADD s minid 3-0 * f <1>",
      "1-1",
    ],
  ],
  xautoclaim: [
    [
      ["s", "g", "c", 1000, "0-0", { count: 2 }],
      "XAUTOCLAIM s g c 1000 0-0 COUNT 2",
      ["0-0", entries, ["3-0"]],
      ["0-0", read, ["3-0"]],
    ],
    [["s", "g", "c", 0, "0", { justId: true }], "XAUTOCLAIM s g c 0 0 JUSTID", ["0-0", ["1-1"]]],
  ],
  xcfgset: [[["s", { duration: 60, maxSize: 10 }], "XCFGSET s IDMP-DURATION 60 IDMP-MAXSIZE 10", "OK"]],
  xclaim: [
    [["s", "g", "c", 1000, "1-1"], "XCLAIM s g c 1000 1-1", entries, read],
    [
      [
        "s",
        "g",
        "c",
        0,
        ["1-1", "2-0"],
        { idleMS: 0, timeMS: 7, retryCount: 3, force: true, justId: true, lastId: "2-0" },
      ],
      "XCLAIM s g c 0 1-1 2-0 IDLE 0 TIME 7 RETRYCOUNT 3 FORCE JUSTID LASTID 2-0",
      ["1-1"],
    ],
  ],
  xdel: [[["s", ["1-1", "2-0"]], "XDEL s 1-1 2-0", 2]],
  xdelex: [
    [["s", "ACKED", "1-1"], "XDELEX s ACKED IDS 1 1-1", [2]],
    [["s", undefined, "1-1", "2-0"], "XDELEX s IDS 2 1-1 2-0", [1, -1]],
  ],
  xgroup: [
    [
      ["s", { type: "CREATE", group: "g", id: "$", options: { MKSTREAM: true, ENTRIESREAD: 3 } }],
      "XGROUP CREATE s g $ MKSTREAM ENTRIESREAD 3",
      "OK",
    ],
    [["s", { type: "CREATECONSUMER", group: "g", consumer: "c" }], "XGROUP CREATECONSUMER s g c", 1],
    [["s", { type: "DELCONSUMER", group: "g", consumer: "c" }], "XGROUP DELCONSUMER s g c", 2],
    [["s", { type: "DESTROY", group: "g" }], "XGROUP DESTROY s g", 0],
    [["s", { type: "SETID", group: "g", id: "0" }], "XGROUP SETID s g 0", "OK"],
  ],
  xinfo: [
    [["s", { type: "GROUPS" }], "XINFO GROUPS s", [["name", "1", "pending", 0]]],
    [["s", { type: "CONSUMERS", group: "g" }], "XINFO CONSUMERS s g", [["name", "c"]]],
    [["s", { type: "STREAM", full: true, count: 1 }], "XINFO STREAM s FULL COUNT 1", ["length", 2]],
  ],
  xlen: [[["s"], "XLEN s", 2]],
  xnack: [
    [["s", "g", "FAIL", "1-1"], "XNACK s g FAIL IDS 1 1-1", 1],
    [
      ["s", "g", "SILENT", ["1-1", "2-0"], { retryCount: 4, force: true }],
      "XNACK s g SILENT IDS 2 1-1 2-0 RETRYCOUNT 4 FORCE",
      2,
    ],
  ],
  xpending: [
    [["s", "g"], "XPENDING s g", [1, "1-1", "1-1", [["7", "1"]]], [1, "1-1", "1-1", [["7", 1]]]],
    [["s", "g"], "XPENDING s g", [0, null, null, null]],
    [["s", "g", "-", "+", 10], "XPENDING s g - + 10", [["1-1", "7", 5, 1]]],
    [["s", "g", "-", "+", 10, { idleTime: 9, consumer: "c" }], "XPENDING s g IDLE 9 - + 10 c", []],
  ],
  xrange: [
    [["s", "-", "+"], "XRANGE s - +", entries, { "1-1": { f: 1, g: "x" }, "2-0": { f: [2] } }],
    [["s", "-", "+", 5], "XRANGE s - + COUNT 5", [], {}],
  ],
  xread: [
    [["s", "0"], "XREAD STREAMS s 0", [["s", entries]], [["s", read]]],
    [["s", "$", { count: 1, blockMS: 0 }], "XREAD COUNT 1 BLOCK 0 STREAMS s $", null],
    [
      [
        ["a", "b"],
        ["0", "1-1"],
      ],
      "XREAD STREAMS a b 0 1-1",
      [["1", []]],
    ],
  ],
  xreadgroup: [
    [
      ["g", "c", "s", ">", { count: 2, NOACK: true }],
      "XREADGROUP GROUP g c COUNT 2 NOACK STREAMS s >",
      [["s", [["1-1", null]]]],
    ],
    [["g", "c", ["a", "b"], [">", "0"]], "XREADGROUP GROUP g c STREAMS a b > 0", null],
  ],
  xrevrange: [[["s", "+", "-", 1], "XREVRANGE s + - COUNT 1", [["2-0", ["f", "1"]]], { "2-0": { f: 1 } }]],
  xsetid: [
    [["s", "5-0"], "XSETID s 5-0", "OK"],
    [
      ["s", "5-0", { entriesAdded: 9, maxDeletedId: "4-0" }],
      "XSETID s 5-0 ENTRIESADDED 9 MAXDELETEDID 4-0",
      "OK",
    ],
  ],
  xtrim: [
    [["s", { strategy: "MAXLEN", threshold: 10 }], "XTRIM s MAXLEN ~ 10", 2],
    [
      ["s", { strategy: "MINID", exactness: "~", threshold: "3-0", limit: 5 }],
      "XTRIM s MINID ~ 3-0 LIMIT 5",
      2,
    ],
    [["s", { strategy: "MAXLEN", exactness: "=", threshold: 0 }], "XTRIM s MAXLEN 0", 2],
  ],
};
