import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { FunctionCommands, ScriptingCommands } from "../../../../src/commands/scripting.js";
import type { Samples } from "./sample.js";

export const scriptingSamples: Samples<ScriptingCommands<ReplyMode>> = {
  eval: [
    [["return", ["k"], ["a", 1]], "EVAL return 1 k a 1", ["1", 2, null, ["007"]], [1, 2, null, ["007"]]],
    [["return", []], "EVAL return 0", "OK"],
    [["return", ["k"]], "EVAL return 1 k", null],
  ],
  evalRo: [[["return", ["k"], []], "EVAL_RO return 1 k", 1]],
  evalsha: [[["abc", [], ["x"]], "EVALSHA abc 0 x", '{"a":1}', { a: 1 }]],
  evalshaRo: [[["abc", ["a", "b"], []], "EVALSHA_RO abc 2 a b", "x"]],
  scriptExists: [[["abc", "def"], "SCRIPT EXISTS abc def", [1, 0]]],
  scriptFlush: [
    [[], "SCRIPT FLUSH", "OK"],
    [[{ async: true }], "SCRIPT FLUSH ASYNC", "OK"],
    [[{ sync: true }], "SCRIPT FLUSH SYNC", "OK"],
  ],
  scriptKill: [[[], "SCRIPT KILL", "OK"]],
  scriptLoad: [[["return"], "SCRIPT LOAD return", "0123"]],
  scriptShow: [[["abc"], "SCRIPT SHOW abc", "return 1"]],
};

export const functionSamples: Samples<FunctionCommands<ReplyMode>> = {
  call: [
    [["f"], "FCALL f 0", "1", 1],
    [["f", ["k"], ["x", 2]], "FCALL f 1 k x 2", ["a"]],
  ],
  callRo: [[["f", ["k"]], "FCALL_RO f 1 k", null]],
  delete: [[["lib"], "FUNCTION DELETE lib", "OK"]],
  dump: [[[], "FUNCTION DUMP", "ab", new Uint8Array([97, 98])]],
  flush: [[[], "FUNCTION FLUSH", "OK"]],
  kill: [[[], "FUNCTION KILL", "OK"]],
  list: [
    [[], "FUNCTION LIST", []],
    [
      [{ libraryName: "my*", withCode: true }],
      "FUNCTION LIST LIBRARYNAME my* WITHCODE",
      [
        [
          "library_name",
          "mylib",
          "engine",
          "LUA",
          "functions",
          [
            ["name", "f", "description", null, "flags", ["no-writes"]],
            ["name", "g", "description", "does g", "flags", []],
          ],
          "library_code",
          "#!lua",
        ],
      ],
      [
        {
          libraryName: "mylib",
          engine: "LUA",
          functions: [
            { name: "f", flags: ["no-writes"] },
            { name: "g", description: "does g", flags: [] },
          ],
          libraryCode: "#!lua",
        },
      ],
    ],
  ],
  load: [
    [[{ code: "#!lua" }], "FUNCTION LOAD #!lua", "mylib"],
    [[{ code: "#!lua", replace: true }], "FUNCTION LOAD REPLACE #!lua", "mylib"],
  ],
  restore: [
    [["bytes"], "FUNCTION RESTORE bytes", "OK"],
    [["bytes", "FLUSH"], "FUNCTION RESTORE bytes FLUSH", "OK"],
  ],
  stats: [
    [
      [],
      "FUNCTION STATS",
      ["running_script", null, "engines", ["LUA", ["libraries_count", 1, "functions_count", 2]]],
      { engines: { LUA: { librariesCount: 1, functionsCount: 2 } } },
    ],
  ],
};
