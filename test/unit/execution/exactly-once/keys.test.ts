import { describe, expect, test } from "vitest";
import { facts } from "../../../../scripts/commands/check.js";
import { keysOf as keysByFacts } from "../../../../scripts/commands/keys.js";
import { blockingTime } from "../../../../src/commands/blocking.js";
import { keysOf } from "../../../../src/commands/keys.js";
import { refusalReason, wrapInIdempotencyScript } from "../../../../src/execution/exactly-once/guard.js";
import type { CommandArg } from "../../../../src/protocol/args.js";
import { slotOf } from "../../../support/slot.js";
import { allSpecs, samples } from "../../commands/samples/index.js";

const refusalOf = (argv: CommandArg[]) => refusalReason({ argv, wait: blockingTime(argv) });

describe("keys, by Redis's own facts", () => {
  test.each(Object.keys(allSpecs))("the keys of %s match Redis's facts", (method) => {
    const spec = allSpecs[method]!;
    for (const [args] of samples[method]!) {
      const encode = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
      const own = spec.encodeArgs(encode, [...args]);
      const argv = [
        ...spec.name.split(" "),
        ...own.map((word) => (word instanceof Uint8Array ? "bytes" : word)),
      ];
      if (refusalOf(argv)) continue;
      const fact = facts[spec.name]?.keys ?? facts[`${spec.name} ${argv[1]}`]?.keys ?? [];
      const expected = keysByFacts(argv.map(String), fact);
      const isWrite = typeof spec.write === "function" ? spec.write(own) : spec.write;
      // The token of a read without a key is named by its argument.
      if (isWrite || expected.length > 0) expect(keysOf(argv)).toEqual(expected);
      if (isWrite && spec.name !== "PUBLISH") expect(expected.length).toBeGreaterThan(0);
    }
  });
});

test.each([
  ["SORT k BY store GET store DESC STORE dest", ["k", "dest"]],
  ["SORT k LIMIT 0 10 GET # STORE a STORE b", ["k", "b"]],
  ["SORT k STORE by", ["k", "by"]],
  ["SORT k GET store", ["k"]],
  ["GEORADIUS k 13 38 200 km STOREDIST store", ["k", "store"]],
  ["GEORADIUSBYMEMBER k store 200 km STORE dest", ["k", "dest"]],
  ["GEORADIUSBYMEMBER k storedist 200 km", ["k"]],
])("the destination of %s is a key, and no value named like the option", (command, keys) => {
  expect(keysOf(command.split(" "))).toEqual(keys);
});

test.each([
  "BLPOP k 1",
  "EVAL s 0",
  "FLUSHALL",
  "FCALL f 0",
  "SCRIPT LOAD s",
  "UNHEARD.OF k",
  "FUNCTION FLUSH",
  "WAIT 1 1",
  "XREADGROUP GROUP g c BLOCK 0 STREAMS s >",
])("%s is refused", (command) => {
  expect(refusalOf(command.split(" "))).toMatch(/can't run in a script|can't block|not known/);
});

test("more arguments than a script can pass on are refused", () => {
  expect(refusalOf(["SADD", "k", ...new Array(8_000).fill("m")])).toMatch(/more than 7900 arguments/);
});

test("the token is the first key, in the slot of the keys, which are all declared", () => {
  const [name, script, count, token, a, b, lifetime, ...command] = wrapInIdempotencyScript(
    ["SMOVE", "{t}a", "{t}b", "m"],
    1000,
    false,
  );
  expect([name, count, a, b, lifetime, command]).toEqual([
    "EVAL",
    "3",
    "{t}a",
    "{t}b",
    "1000",
    ["SMOVE", "{t}a", "{t}b", "m"],
  ]);
  expect(script).not.toContain("#!lua");
  expect(token).toMatch(/^\{t\}a:wl:[0-9a-z]+$/);
  expect(wrapInIdempotencyScript(["INCR", "k"], 1000, true)[1]).toMatch(/^#!lua flags=allow-key-locking\n/);
  const bytes = (word: unknown) =>
    typeof word === "string" ? new TextEncoder().encode(word) : (word as Uint8Array);
  for (const key of ["k", "a}b", "{}", "", "foo{}{bar}"]) {
    expect(slotOf(bytes(wrapInIdempotencyScript(["INCR", key], 1000, false)[3]))).toBe(slotOf(bytes(key)));
  }
});
