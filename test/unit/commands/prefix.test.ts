import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allCommandInfo, getCommandInfo } from "../../../gateway/src/commands/command-info.js";
import { keyPatternsOf } from "../../../gateway/src/commands/key-patterns.js";
import { getKeyIndexes } from "../../../gateway/src/commands/keys.js";
import { commandOf } from "../../../gateway/src/resp/args.js";
import { bitfieldSpec } from "../../../src/commands/bitmap.js";
import type { CommandSpec } from "../../../src/commands/spec.js";
import { ArgumentError, ConfigError } from "../../../src/errors.js";
import { Command } from "../../../src/execution/command.js";
import { refusalReason, wrapInIdempotencyScript } from "../../../src/execution/exactly-once/guard.js";
import { createScope } from "../../../src/execution/exactly-once/scope.js";
import { resolveSettings } from "../../../src/execution/settings.js";
import { rawCommand } from "../../../src/features/raw-command.js";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { Redis } from "../../../src/index.js";
import { anyCharacter } from "../../support/any-character.js";
import { allSpecs, moduleSamples, moduleSpecs, samples } from "./samples/index.js";

const settings = resolveSettings({});

/** The arguments that a client sends, with its prefix, as Latin-1 text (one character per byte). */
function sentBy(prefix: string | undefined, spec: CommandSpec, args: readonly unknown[]): string[] {
  const client = { context: { prefix } as never, settings };
  return new Command(client, spec, [...args]).argv.map((arg) => Buffer.from(arg).toString("latin1"));
}

/**
 * Prefixes a command by hand: each of its keys by Redis's own facts, as the gateway has them, and the patterns by which SORT reads
 * keys. Returns undefined if its keys are not known.
 */
function prefixedByHand(argv: readonly string[], prefix: string): string[] | undefined {
  const command = commandOf(argv);
  const info = getCommandInfo(command);
  // The facts have the channel in the place of a key, since its slot decides where the message goes.
  const indexes = info?.name === "SPUBLISH" ? [] : getKeyIndexes(command, info);
  if (!indexes) return undefined;
  const patterns = keyPatternsOf(command).map(({ pattern }) => pattern);
  const before = Buffer.from(prefix).toString("latin1");
  return argv.map((arg, at) => {
    const isPattern = patterns.includes(arg) && /^(by|get)$/i.test(argv[at - 1]!);
    return indexes.includes(at) || isPattern ? before + arg : arg;
  });
}

const methods: Record<string, CommandSpec> = { ...allSpecs, ...moduleSpecs, bitfield: bitfieldSpec };
const samplesOf = (method: string): readonly unknown[][] =>
  method === "bitfield"
    ? [["k", "GET", "u8", "0"]]
    : (samples[method] ?? moduleSamples[method]!).map(([args]) => args as unknown[]);

const anyPrefix = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 8 })
  .filter((text) => !text.includes("*"));

describe("a client with a prefix sends what the command with prefixed keys sends", () => {
  test.each(Object.entries(methods))("%s", (method, spec) => {
    fc.assert(
      fc.property(fc.constantFrom(...samplesOf(method)), anyPrefix, (args, prefix) => {
        const plain = sentBy(undefined, spec, args);
        const expected = prefixedByHand(plain, prefix);
        if (expected) expect(sentBy(prefix, spec, args)).toEqual(expected);
        else expect(() => sentBy(prefix, spec, args)).toThrow(ArgumentError);
      }),
      {
        // Each sample once, and then any of them.
        examples: samplesOf(method).map((args): [unknown[], string] => [args, "p:"]),
        numRuns: samplesOf(method).length + 20,
      },
    );
  });

  test("keys of bytes stay bytes", () => {
    expect(sentBy("é:", allSpecs.get!, [new Uint8Array([0xff, 0])])).toEqual(["GET", "\xc3\xa9:\xff\0"]);
  });

  test("the methods that are refused are those of search indexes and of filters by labels", () => {
    const refused = Object.keys(methods).filter((method) =>
      samplesOf(method).some((args) => !prefixedByHand(sentBy(undefined, methods[method]!, args), "p:")),
    );
    const ofIndexes = Object.keys(moduleSpecs).filter(
      (name) => name.startsWith("ft.") && !name.startsWith("ft.sug"),
    );
    expect(refused.sort()).toEqual(
      [...ofIndexes, "ts.mget", "ts.mrange", "ts.mrevrange", "ts.queryindex"].sort(),
    );
  });
});

describe("a command given argument by argument", () => {
  const raw = (prefix: string | undefined, argv: readonly unknown[]) => sentBy(prefix, ...rawCommand(argv));

  test.each([
    [
      "GEORADIUS k 13 38 200 km STORE a STOREDIST store",
      "GEORADIUS p:k 13 38 200 km STORE a STOREDIST p:store",
    ],
    ["GEORADIUSBYMEMBER k store 200 km", "GEORADIUSBYMEMBER p:k store 200 km"],
    ["GEORADIUSBYMEMBER_RO k m 200 km", "GEORADIUSBYMEMBER_RO p:k m 200 km"],
    [
      "SORT k BY w_*->f GET # GET o_* LIMIT 0 1 STORE d",
      "SORT p:k BY p:w_*->f GET # GET p:o_* LIMIT 0 1 STORE p:d",
    ],
    ["SORT k BY nosort GET store", "SORT p:k BY nosort GET store"],
    ["SORT_RO k GET get*", "SORT_RO p:k GET p:get*"],
    ["EVAL s 0 a", "EVAL s 0 a"],
    ["FCALL f 2 a b c", "FCALL f 2 p:a p:b c"],
    ["XREAD COUNT 1 BLOCK 0 streams streams b 0 0", "XREAD COUNT 1 BLOCK 0 streams p:streams p:b 0 0"],
    ["XREAD COUNT 1", "XREAD COUNT 1"],
    ["MSETEX 2 a 1 b 2 EX 5", "MSETEX 2 p:a 1 p:b 2 EX 5"],
    ["BITOP AND d a b", "BITOP AND p:d p:a p:b"],
    ["TS.CREATERULE a b AGGREGATION sum 1", "TS.CREATERULE p:a p:b AGGREGATION sum 1"],
    ["PUBLISH channel k", "PUBLISH channel k"],
    ["SPUBLISH channel k", "SPUBLISH channel k"],
    ["SCAN 0 MATCH k*", "SCAN 0 MATCH k*"],
  ])("%s is sent as %s", (command, expected) => {
    expect(raw("p:", command.split(" ")).join(" ")).toBe(expected);
  });

  test.each([
    "MIGRATE h 1 k 0 1",
    "DEBUG OBJECT k",
    "JSON.DEBUG MEMORY k",
    "NEWCOMMAND k",
    "CONFIG GET *",
    "FT.SEARCH i *",
  ])("%s is refused by name", (command) => {
    const [name] = command.split(" ");
    expect(() => raw("p:", command.split(" "))).toThrow(
      `${name}: its keys are not known, so it can't be sent by a client with a prefix`,
    );
    expect(raw(undefined, command.split(" ")).join(" ")).toBe(command);
  });

  test("every command of Redis is refused, or sent with prefixes where its keys are", () => {
    for (const { name, arity, keys } of allCommandInfo()) {
      const words = [...name.split(" "), "1", "1", "1", "1", "1", "1", "1"];
      const argv = arity > 0 ? words.slice(0, arity) : words;
      let sent: string[];
      try {
        sent = raw("p:", argv);
      } catch (error) {
        expect(error).toBeInstanceOf(ArgumentError);
        continue;
      }
      expect(keys, name).not.toBe("?");
      const expected = prefixedByHand(argv, "p:");
      // Options are missing here, without which Redis refuses the command.
      if (expected) expect(sent).toEqual(expected);
    }
  });
});

describe("exactly-once", () => {
  const wrapped = (argv: readonly string[], prefix?: string) =>
    wrapInIdempotencyScript(argv, 1_000, false, createScope("run", true), prefix);

  test("the token of a command without a key, and the record of a strict scope, have the prefix", () => {
    const [, , count, token, record] = wrapped(["PUBLISH", "c", "m"], "p:");
    expect([count, record]).toEqual(["2", "p:run:wl:path"]);
    expect(token).toMatch(/^p::wl:run:1:\w+$/);
  });

  test("the keys of a command have it already, and what is not a key names no token", () => {
    const [, , count, token, key, record] = wrapped(["INCR", "p:n"], "p:");
    expect([count, key, record]).toEqual(["3", "p:n", "p:run:wl:path"]);
    expect(token).toMatch(/^p:n:wl:/);
    const publish = { argv: ["SPUBLISH", "c", "m"], wait: undefined };
    expect(refusalReason(publish, "p:")).toBe("it has no key for a token");
  });
});

describe("the option", () => {
  test.each([
    ["", "non-empty"],
    ["a*", "without \\*"],
    ["\ud800", "well-formed"],
    [5, "text"],
    [null, "text"],
    [new Uint8Array([1]), "text"],
  ])("%j is refused", (prefix, text) => {
    for (const Client of [Redis, FetchRedis]) {
      const create = () => new Client({ url: "http://localhost", token: "t", prefix: prefix as never });
      expect(create).toThrow(ConfigError);
      expect(create).toThrow(new RegExp(`^prefix must be .*${text}`));
    }
  });

  test("with() can't change it, and keeps it", () => {
    const redis = new Redis({ url: "http://localhost", token: "t", prefix: "p:" });
    expect(redis.keyPrefix).toBe("p:");
    expect(redis.with({ codec: "text" }).keyPrefix).toBe("p:");
    expect(new Redis({ url: "http://localhost", token: "t" }).keyPrefix).toBeUndefined();
    expect(() => redis.with({ prefix: "q:" } as never)).toThrow(
      "with() can't change prefix: pass it to new Redis()",
    );
  });
});
