import { expect, test } from "vitest";
import { slotOf } from "warmline-testbed";
import { blockingTime } from "../../../../src/commands/blocking.js";
import { refusalReason, wrapInIdempotencyScript } from "../../../../src/execution/exactly-once/guard.js";
import type { CommandArg } from "../../../../src/protocol/args.js";

const refusalOf = (argv: CommandArg[]) => refusalReason({ argv, wait: blockingTime(argv) });

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
