import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { VectorSetCommands } from "../../../../src/commands/vector-set.js";
import type { Samples } from "./sample.js";

export const vectorSetSamples: Samples<VectorSetCommands<ReplyMode>> = {
  vadd: [
    [["v", [1, 0.5], "e"], 'VADD v VALUES 2 1 0.5 <"e">', 1],
    [
      [
        "v",
        new Float32Array([1, 2]),
        "e",
        { reduce: 1, cas: true, quantization: "BIN", ef: 9, setAttr: { y: 1 }, m: 8 },
      ],
      'VADD v REDUCE 1 VALUES 2 1 2 <"e"> CAS BIN EF 9 SETATTR {"y":1} M 8',
      0,
    ],
  ],
  vcard: [[["v"], "VCARD v", 3]],
  vdim: [[["v"], "VDIM v", 2]],
  vemb: [
    [["v", "e"], 'VEMB v <"e">', ["1", "0.5"], [1, 0.5]],
    [["v", "e"], 'VEMB v <"e">', null],
  ],
  vgetattr: [[["v", "e"], 'VGETATTR v <"e">', '{"y":1}', { y: 1 }]],
  vinfo: [
    [["v"], "VINFO v", ["quant-type", "int8", "size", 3], { "quant-type": "int8", size: 3 }],
    [["v"], "VINFO v", null],
  ],
  vismember: [[["v", 1], "VISMEMBER v <1>", 1]],
  vlinks: [
    [["v", "e"], 'VLINKS v <"e">', [["a", "1"], []], [["a", 1], []]],
    [["v", "e", true], 'VLINKS v <"e"> WITHSCORES', [["a", "0.5"]], [["a", 0.5]]],
    [["v", "e"], 'VLINKS v <"e">', null],
  ],
  vrandmember: [
    [["v"], "VRANDMEMBER v", "e"],
    [["v", 2], "VRANDMEMBER v 2", ["a", "b"]],
  ],
  vrange: [[["v", "-", "+", 5], "VRANGE v - + 5", ["a"]]],
  vrem: [[["v", "e"], 'VREM v <"e">', 1]],
  vsetattr: [[["v", "e", ""], 'VSETATTR v <"e"> ', 1]],
  vsim: [
    [["v", [1, 2]], "VSIM v VALUES 2 1 2", ["a", "1"], ["a", 1]],
    [
      ["v", { element: "e" }, { withScores: true, count: 2, filter: ".y>1" }],
      'VSIM v ELE <"e"> WITHSCORES COUNT 2 FILTER .y>1',
      ["a", "0.5"],
      [{ element: "a", score: 0.5 }],
    ],
    [
      [
        "v",
        { element: "e" },
        {
          withScores: true,
          withAttribs: true,
          epsilon: 0.2,
          ef: 5,
          filterEf: 7,
          truth: true,
          noThread: true,
        },
      ],
      'VSIM v ELE <"e"> WITHSCORES WITHATTRIBS EPSILON 0.2 EF 5 FILTER-EF 7 TRUTH NOTHREAD',
      ["a", "0.5", '{"y":1}', "b", "0.4", null],
      [
        { element: "a", score: 0.5, attributes: { y: 1 } },
        { element: "b", score: 0.4, attributes: null },
      ],
    ],
  ],
};
