import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { SetCommands } from "../../../../src/commands/set.js";
import type { Samples } from "./sample.js";

export const setSamples: Samples<SetCommands<ReplyMode>> = {
  sadd: [[["s", 1, [2]], "SADD s <1> <[2]>", 2]],
  scard: [[["s"], "SCARD s", 0]],
  sdiff: [[["a", "b"], "SDIFF a b", ["1"], [1]]],
  sdiffcard: [[[["a", "b"], { limit: 1 }], "SDIFFCARD 2 a b LIMIT 1", 1]],
  sdiffstore: [[["d", "a", "b"], "SDIFFSTORE d a b", 1]],
  sinter: [[["a", "b"], "SINTER a b", []]],
  sintercard: [
    [[["a", "b"]], "SINTERCARD 2 a b", 1],
    [[["a", "b"], { limit: 5 }], "SINTERCARD 2 a b LIMIT 5", 1],
  ],
  sinterstore: [[["d", "a", "b"], "SINTERSTORE d a b", 1]],
  sismember: [[["s", { a: 1 }], 'SISMEMBER s <{"a":1}>', 1]],
  smembers: [[["s"], "SMEMBERS s", ["1", "x"], [1, "x"]]],
  smismember: [[["s", [1, "x"]], 'SMISMEMBER s <1> <"x">', [1, 0]]],
  smove: [[["a", "b", 1], "SMOVE a b <1>", 1]],
  spop: [
    [["s"], "SPOP s", "1", 1],
    [["s"], "SPOP s", null],
    [["s", 2], "SPOP s 2", ["1", "2"], [1, 2]],
  ],
  srandmember: [[["s", -2], "SRANDMEMBER s -2", ["1", "1"], [1, 1]]],
  srem: [[["s", "a", "b"], 'SREM s <"a"> <"b">', 2]],
  sscan: [[["s", 0, { match: "x*", count: 10 }], "SSCAN s 0 MATCH x* COUNT 10", ["0", ["1"]], ["0", [1]]]],
  sunion: [[["a", "b"], "SUNION a b", ["{}"], [{}]]],
  sunioncard: [
    [[["a", "b"]], "SUNIONCARD 2 a b", 5],
    [[["a"], { approx: true, limit: 3 }], "SUNIONCARD 1 a APPROX LIMIT 3", 3],
  ],
  sunionstore: [[["d", "a"], "SUNIONSTORE d a", 1]],
};
