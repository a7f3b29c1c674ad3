import type { GenericCommands } from "../../../../src/commands/generic.js";
import type { ReplyMode } from "../../../../src/commands/reply-mode.js";
import type { Samples } from "./sample.js";

export const genericSamples: Samples<GenericCommands<ReplyMode>> = {
  copy: [
    [["a", "b"], "COPY a b", 1, "COPIED"],
    [["a", "b", { replace: true, db: 1 }], "COPY a b DB 1 REPLACE", 0, "NOT_COPIED"],
  ],
  del: [[["a", "b"], "DEL a b", 2]],
  dump: [
    [["k"], "DUMP k", "\0ab", new Uint8Array([0, 97, 98])],
    [["k"], "DUMP k", null],
  ],
  exists: [[["a", "a"], "EXISTS a a", 2]],
  expire: [
    [["k", 10], "EXPIRE k 10", 1],
    [["k", 10, "NX"], "EXPIRE k 10 NX", 0],
    [["k", 10, undefined], "EXPIRE k 10", 1],
  ],
  expireat: [[["k", 99, "gt"], "EXPIREAT k 99 gt", 1]],
  expiretime: [[["k"], "EXPIRETIME k", -1]],
  keys: [[["*"], "KEYS *", ["1", "true", "{}"]]],
  move: [[["k", 1], "MOVE k 1", 1]],
  objectEncoding: [[["k"], "OBJECT ENCODING k", "int"]],
  objectFreq: [[["k"], "OBJECT FREQ k", 3]],
  objectIdletime: [[["k"], "OBJECT IDLETIME k", 0]],
  objectRefcount: [[["k"], "OBJECT REFCOUNT k", null]],
  persist: [[["k"], "PERSIST k", 1]],
  pexpire: [[["k", 10, "LT"], "PEXPIRE k 10 LT", 1]],
  pexpireat: [[["k", 99], "PEXPIREAT k 99", 1]],
  pexpiretime: [[["k"], "PEXPIRETIME k", -2]],
  pttl: [[["k"], "PTTL k", 1500]],
  randomkey: [
    [[], "RANDOMKEY", "123"],
    [[], "RANDOMKEY", null],
  ],
  rename: [[["a", "b"], "RENAME a b", "OK"]],
  renamenx: [[["a", "b"], "RENAMENX a b", 0]],
  restore: [
    [["k", 0, "bytes"], "RESTORE k 0 bytes", "OK"],
    [
      ["k", 5, "bytes", { replace: true, absTtl: true, idleTime: 1, freq: 2 }],
      "RESTORE k 5 bytes REPLACE ABSTTL IDLETIME 1 FREQ 2",
      "OK",
    ],
  ],
  scan: [
    [[0], "SCAN 0", ["0", ["1", "2"]]],
    [["17", { match: "a:*", count: 5, type: "hash" }], "SCAN 17 MATCH a:* COUNT 5 TYPE hash", ["9", []]],
    [[0, { withType: true }], "SCAN 0 WITHTYPE", ["0", ["1", "set"]], ["0", [{ key: "1", type: "set" }]]],
    [["0"], "SCAN 0", ["18446744073709551615", []]],
  ],
  sort: [
    [["l"], "SORT l", ["1", null], [1, null]],
    [
      ["l", { by: "w_*", offset: 1, count: 2, get: ["#", "v_*"], order: "DESC", alpha: true }],
      "SORT l BY w_* LIMIT 1 2 GET # GET v_* DESC ALPHA",
      ["a", "1"],
      ["a", 1],
    ],
    [["l", { get: "v_*", store: "d" }], "SORT l GET v_* STORE d", 2],
    [["l", { count: 2 }], "SORT l LIMIT 0 2", []],
  ],
  sortRo: [[["l", { alpha: true }], "SORT_RO l ALPHA", ["a"]]],
  touch: [[["a", "b"], "TOUCH a b", 1]],
  ttl: [[["k"], "TTL k", -1]],
  type: [[["k"], "TYPE k", "zset"]],
  unlink: [[["a", "b"], "UNLINK a b", 2]],
  wait: [[[1, 100], "WAIT 1 100", 0]],
  waitaof: [[[1, 0, 100], "WAITAOF 1 0 100", [1, 0]]],
};
