import type { PubSubCommands } from "../../../../src/commands/pubsub.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { ServerCommands } from "../../../../src/commands/server.js";
import type { Samples } from "./sample.js";

export const serverSamples: Samples<ServerCommands<ReplyMode>> = {
  commandCount: [[[], "COMMAND COUNT", 240, 240]],
  commandGetkeys: [[["SET", "1", "v"], "COMMAND GETKEYS SET 1 v", ["1"], ["1"]]],
  commandList: [[[], "COMMAND LIST", ["get"], ["get"]]],
  dbsize: [[[], "DBSIZE", 3, 3]],
  flushall: [
    [[], "FLUSHALL", "OK", "OK"],
    [[[{ async: true }]], "FLUSHALL ASYNC", "OK", "OK"],
    [[[{}]], "FLUSHALL", "OK", "OK"],
  ],
  flushdb: [
    [[], "FLUSHDB", "OK", "OK"],
    [[{ async: true }], "FLUSHDB ASYNC", "OK", "OK"],
  ],
  info: [
    [[], "INFO", "# Server\r\n", "# Server\r\n"],
    [["cpu", "memory"], "INFO cpu memory", "12", "12"],
  ],
  lastsave: [[[], "LASTSAVE", 1700000000, 1700000000]],
  memoryUsage: [
    [["k"], "MEMORY USAGE k", 72, 72],
    [["k", { samples: 0 }], "MEMORY USAGE k SAMPLES 0", null, null],
  ],
  role: [[[], "ROLE", ["master", 0, []], ["master", 0, []]]],
  swapdb: [[[0, 1], "SWAPDB 0 1", "OK", "OK"]],
  time: [[[], "TIME", ["1700000000", "123456"], [1700000000, 123456]]],
};

export const pubsubSamples: Samples<PubSubCommands<ReplyMode>> = {
  publish: [[["c", { a: 1 }], 'PUBLISH c <{"a":1}>', 2, 2]],
  pubsubChannels: [
    [[], "PUBSUB CHANNELS", ["1"], ["1"]],
    [["a*"], "PUBSUB CHANNELS a*", [], []],
  ],
  pubsubNumpat: [[[], "PUBSUB NUMPAT", 0, 0]],
  pubsubNumsub: [[["a", "b"], "PUBSUB NUMSUB a b", ["a", 1, "b", 0], { a: 1, b: 0 }]],
  pubsubShardchannels: [[[], "PUBSUB SHARDCHANNELS", [], []]],
  pubsubShardnumsub: [[["a"], "PUBSUB SHARDNUMSUB a", ["a", 0], { a: 0 }]],
  spublish: [[["c", "m"], 'SPUBLISH c <"m">', 0, 0]],
};
