import { describe, expect, test } from "vitest";
import { facts } from "../../../scripts/commands/check.js";
import { keysOf as keysByFacts } from "../../../scripts/commands/keys.js";
import type { Command } from "../../../src/execution/command.js";
import { cacheableKeys, changedKeys } from "../../../src/near/cacheable.js";
import { allSpecs, samples } from "../commands/samples/index.js";

const commandOf = (argv: readonly string[]) => ({ argv, bytes: false, wait: undefined }) as never as Command;
const changedBy = (...argv: string[]) => changedKeys(commandOf(argv), () => true);

describe("keys of a command, by Redis's own facts", () => {
  test.each(Object.keys(allSpecs))("a near cache has the keys of %s, as a write or a read", (method) => {
    const spec = allSpecs[method]!;
    for (const [args] of samples[method]!) {
      const encode = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
      const own = spec.encodeArgs(encode, [...args]);
      const write = typeof spec.write === "function" ? spec.write(own) : spec.write;
      const argv = [...spec.name.split(" "), ...own.map((arg) => (typeof arg === "string" ? arg : "bytes"))];
      const fact = facts[spec.name]?.keys ?? facts[`${spec.name} ${argv[1]}`]?.keys ?? [];
      const changed = write ? changedBy(...argv) : cacheableKeys(commandOf(argv), () => true);
      // A word that is no key may match, such as LIST in FUNCTION LIST.
      if (!write && fact.length === 0) expect(changed).toBeUndefined();
      if (changed !== undefined && changed !== "all")
        expect(changed).toEqual(expect.arrayContaining(keysByFacts(argv, fact)));
    }
  });
});

test.each([
  ["BLMOVE from to LEFT RIGHT 1", ["from", "to"]],
  ["BRPOPLPUSH from to 1", ["from", "to"]],
  ["BLPOP a b 0", ["a", "b"]],
  ["BZPOPMIN a b 0", ["a", "b"]],
  ["BLMPOP 0 2 a b LEFT", ["a", "b"]],
  ["BZMPOP 0 1 a MIN", ["a"]],
])("%s changes its keys, as without waiting", (command, keys) => {
  expect(changedBy(...command.split(" "))).toEqual(keys);
});

test("the keys of JSON.MGET are those before its path", () => {
  expect(cacheableKeys(commandOf(["JSON.MGET", "a", "b", "$.x"]), () => true)).toEqual(["a", "b"]);
});

test("a byte order mark is part of a key given as bytes", () => {
  const argv = ["SET", new TextEncoder().encode("\ufeffa"), "1"];
  expect(changedKeys({ argv } as never as Command, () => true)).toEqual(["\ufeffa"]);
});
