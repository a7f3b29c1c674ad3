import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { SortedSetCommands } from "../../../../src/commands/sorted-set.js";
import type { Samples } from "./sample.js";

export const sortedSetSamples: Samples<SortedSetCommands<ReplyMode>> = {
  bzmpop: [
    [
      [1, 1, ["z"], "MIN", 2],
      "BZMPOP 1 1 z MIN COUNT 2",
      [
        "z",
        [
          ["1", "2"],
          ["x", "inf"],
        ],
      ],
      [
        "z",
        [
          [1, 2],
          ["x", Infinity],
        ],
      ],
    ],
    [[1, 2, ["y", "z"], "MAX"], "BZMPOP 1 2 y z MAX", null],
  ],
  bzpopmax: [[["z", 1], "BZPOPMAX z 1", ["z", "m", "1.5"], ["z", "m", 1.5]]],
  bzpopmin: [[[["y", "z"], 0], "BZPOPMIN y z 0", null]],
  zadd: [
    [["z", { score: 1, member: "a" }], 'ZADD z 1 <"a">', 1],
    [["z", { score: 1, member: "a" }, { score: 2, member: { b: 1 } }], 'ZADD z 1 <"a"> 2 <{"b":1}>', 2],
    [["z", { nx: true, ch: true }, { score: 1, member: "a" }], 'ZADD z NX CH 1 <"a">', 1],
    [["z", { xx: true, gt: true }, { score: 1, member: "a" }], 'ZADD z XX GT 1 <"a">', 0],
    [["z", { lt: true, incr: true }, { score: 1, member: "a" }], 'ZADD z LT INCR 1 <"a">', "3.5", 3.5],
    [["z", { incr: true, nx: true }, { score: 1, member: "a" }], 'ZADD z NX INCR 1 <"a">', null],
    [["z", { score: -Infinity, member: "a" }], 'ZADD z -inf <"a">', 1],
    [["z", { score: Infinity, member: "a" }], 'ZADD z inf <"a">', 1],
  ],
  zcard: [[["z"], "ZCARD z", 2]],
  zcount: [[["z", "-inf", "(5"], "ZCOUNT z -inf (5", 2]],
  zdiff: [
    [[2, ["a", "b"]], "ZDIFF 2 a b", ["1"], [1]],
    [[2, ["a", "b"], { withScores: true }], "ZDIFF 2 a b WITHSCORES", ["1", "2"], [1, 2]],
  ],
  zdiffstore: [[["d", 2, "a", "b"], "ZDIFFSTORE d 2 a b", 1]],
  zincrby: [[["z", 1.5, "m"], 'ZINCRBY z 1.5 <"m">', "-inf", -Infinity]],
  zinter: [
    [[2, ["a", "b"], { weights: [1, 2], aggregate: "max" }], "ZINTER 2 a b WEIGHTS 1 2 AGGREGATE max", ["m"]],
  ],
  zintercard: [[[["a", "b"], { limit: 2 }], "ZINTERCARD 2 a b LIMIT 2", 1]],
  zinterstore: [
    [["d", 1, "a", { weight: 2 }], "ZINTERSTORE d 1 a WEIGHTS 2", 1],
    [["d", 2, ["a", "b"], { aggregate: "min" }], "ZINTERSTORE d 2 a b AGGREGATE min", 1],
  ],
  zlexcount: [[["z", "-", "[c"], "ZLEXCOUNT z - [c", 3]],
  zmpop: [
    [[1, ["z"], "MAX"], "ZMPOP 1 z MAX", ["z", [["m", "1"]]], ["z", [["m", 1]]]],
    [[1, ["z"], "MIN", 2], "ZMPOP 1 z MIN COUNT 2", null],
  ],
  zmscore: [[["z", ["a", 1]], 'ZMSCORE z <"a"> <1>', ["1.5", null], [1.5, null]]],
  zpopmax: [[["z"], "ZPOPMAX z", ["1", "1"], [1, 1]]],
  zpopmin: [
    [["z", 2], "ZPOPMIN z 2", ["a", "1", "b", "2"], ["a", 1, "b", 2]],
    [["z"], "ZPOPMIN z", []],
  ],
  zrandmember: [
    [["z"], "ZRANDMEMBER z", "m"],
    [["z", 2], "ZRANDMEMBER z 2", ["m", "1"], ["m", 1]],
    [["z", 1, true], "ZRANDMEMBER z 1 WITHSCORES", ["m", "1e20"], ["m", 1e20]],
  ],
  zrange: [
    [["z", 0, -1], "ZRANGE z 0 -1", ["1", "x"], [1, "x"]],
    [["z", 0, -1, { withScores: true }], "ZRANGE z 0 -1 WITHSCORES", ["00", "1"], ["00", 1]],
    [
      ["z", "(1", "+inf", { byScore: true, rev: true, offset: 1, count: 2, withScores: true }],
      "ZRANGE z (1 +inf BYSCORE REV LIMIT 1 2 WITHSCORES",
      [],
    ],
    [["z", "-", "[c", { byLex: true }], "ZRANGE z - [c BYLEX", ["a"]],
  ],
  zrangebylex: [[["z", "-", "+", { offset: 0, count: 1 }], "ZRANGEBYLEX z - + LIMIT 0 1", ["a"]]],
  zrangebyscore: [
    [["z", 1, "+inf", { withScores: true }], "ZRANGEBYSCORE z 1 +inf WITHSCORES", ["a", "1"], ["a", 1]],
    [["z", 1, 2], "ZRANGEBYSCORE z 1 2", ["a"]],
  ],
  zrangestore: [[["d", "z", 0, 1, { rev: true }], "ZRANGESTORE d z 0 1 REV", 2]],
  zrank: [
    [["z", "m"], 'ZRANK z <"m">', 0],
    [["z", "m"], 'ZRANK z <"m">', null],
    [["z", "m", { withScore: true }], 'ZRANK z <"m"> WITHSCORE', [0, "1.5"], [0, 1.5]],
  ],
  zrem: [[["z", "a", 1], 'ZREM z <"a"> <1>', 2]],
  zremrangebylex: [[["z", "[a", "(c"], "ZREMRANGEBYLEX z [a (c", 2]],
  zremrangebyrank: [[["z", 0, 1], "ZREMRANGEBYRANK z 0 1", 2]],
  zremrangebyscore: [[["z", "-inf", 3], "ZREMRANGEBYSCORE z -inf 3", 2]],
  zrevrange: [
    [["z", 0, 1, { withScores: true }], "ZREVRANGE z 0 1 WITHSCORES", ["a", "nan"], ["a", Number.NaN]],
  ],
  zrevrangebylex: [[["z", "+", "-"], "ZREVRANGEBYLEX z + -", ["a"]]],
  zrevrangebyscore: [[["z", 3, 1, { offset: 0, count: 1 }], "ZREVRANGEBYSCORE z 3 1 LIMIT 0 1", ["a"]]],
  zrevrank: [[["z", "m"], 'ZREVRANK z <"m">', 1]],
  zscan: [[["z", "0", { count: 5 }], "ZSCAN z 0 COUNT 5", ["0", ["1", "2"]], ["0", [1, 2]]]],
  zscore: [
    [["z", "m"], 'ZSCORE z <"m">', "1e20", 1e20],
    [["z", "m"], 'ZSCORE z <"m">', null],
  ],
  zunion: [
    [[1, "z"], "ZUNION 1 z", ["a"]],
    [
      [2, ["a", "b"], { weights: [2, 3], aggregate: "sum", withScores: true }],
      "ZUNION 2 a b WEIGHTS 2 3 AGGREGATE sum WITHSCORES",
      ["a", "1"],
      ["a", 1],
    ],
  ],
  zunionstore: [[["d", 1, "a"], "ZUNIONSTORE d 1 a", 1]],
};
