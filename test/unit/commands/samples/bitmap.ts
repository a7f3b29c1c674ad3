import type { BitmapCommands } from "../../../../src/commands/bitmap.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const bitmapSamples: Samples<BitmapCommands<ReplyMode>> = {
  bitfieldRo: [[["k", "GET", "u8", 0, "GET", "i4", "#1"], "BITFIELD_RO k GET u8 0 GET i4 #1", [1, -2]]],
  bitcount: [
    [["k"], "BITCOUNT k", 3],
    [["k", 0, -1], "BITCOUNT k 0 -1", 3],
    [["k", 0, 9, "BIT"], "BITCOUNT k 0 9 BIT", 3],
  ],
  bitop: [
    [["and", "d", "a", "b"], "BITOP and d a b", 3],
    [["not", "d", "a"], "BITOP not d a", 3],
    [["diff", "d", "a", "b"], "BITOP diff d a b", 3],
  ],
  bitpos: [
    [["k", 1], "BITPOS k 1", -1],
    [["k", 0, 1, 2, "BIT"], "BITPOS k 0 1 2 BIT", 5],
    [["k", 0, undefined, undefined], "BITPOS k 0", 5],
  ],
  getbit: [[["k", 7], "GETBIT k 7", 1]],
  setbit: [[["k", 7, 1], "SETBIT k 7 1", 0]],
};
