import type { HyperLogLogCommands } from "../../../../src/commands/hyperloglog.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const hyperloglogSamples: Samples<HyperLogLogCommands<ReplyMode>> = {
  pfadd: [
    [["k", "a", { b: 1 }], 'PFADD k <"a"> <{"b":1}>', 1],
    [["k"], "PFADD k", 0],
  ],
  pfcount: [[["a", "b"], "PFCOUNT a b", 3]],
  pfmerge: [[["d", "a", "b"], "PFMERGE d a b", "OK"]],
};
