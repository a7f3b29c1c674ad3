import { describe, expect, test } from "vitest";
import {
  commandProblems,
  facts,
  isRead,
  missingMethods,
  reasonLeftOut,
  rowProblems,
  wordsProblems,
} from "../../../scripts/commands/check.js";
import { bitfield, bitfieldSpec } from "../../../src/commands/bitmap.js";
import { builders, namespaces } from "../../../src/commands/index.js";
import { isWrite } from "../../../src/commands/registry.js";
import { allSpecs, moduleSamples, moduleSpecs, samples } from "./samples/index.js";

const specsByMethod = { ...allSpecs, ...moduleSpecs };
const samplesByMethod = { ...samples, ...moduleSamples };
const everySpec = [...Object.values(specsByMethod), bitfieldSpec];

describe("specs against Redis's own facts", () => {
  test("every command has a spec or a reason to have none", () => {
    expect(commandProblems(everySpec)).toEqual([]);
  });

  test("no command is sent by two specs", () => {
    const names = everySpec.map((spec) => spec.name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test.each(everySpec.map((spec) => [spec.name, spec] as const))(
    "%s agrees with the facts",
    (_name, spec) => {
      expect(rowProblems(spec)).toEqual([]);
    },
  );

  test.each(Object.keys(specsByMethod))("%s has the arity and keys of Redis's facts", (method) => {
    const spec = specsByMethod[method]!;
    for (const [args] of samplesByMethod[method]!) {
      const words = spec.encodeArgs((value) => `<${JSON.stringify(value)}>`, [...args]).map(String);
      expect(wordsProblems(spec.name, words)).toEqual([]);
    }
  });
});

test("every method of the reference client exists or is left out with a reason", () => {
  const methods = new Set([...Object.keys(allSpecs), ...Object.keys(namespaces), ...Object.keys(builders)]);
  expect(missingMethods(methods)).toEqual([]);
  methods.delete("zadd");
  expect(missingMethods(methods)).toEqual(["zadd", "zadd"]);
});

describe("commands sent as words", () => {
  const names = Object.keys(facts).filter(
    (name) =>
      /^(BF|CF|CMS|TOPK|TDIGEST|TS|FT)\.(?!CURSOR)/.test(name) ||
      !reasonLeftOut(name) ||
      reasonLeftOut(name)?.startsWith("one method"),
  );

  test.each(names.filter((name) => isRead(name) && name !== "XREAD"))("%s is a read", (name) => {
    expect(isWrite([...name.toLowerCase().split(" "), "k"])).toBe(false);
  });

  test.each(
    Object.keys(facts).filter((name) => !isRead(name) && !/^(GETEX|SORT|BITFIELD|XINFO( HELP)?)$/.test(name)),
  )("%s is a write", (name) => {
    expect(isWrite([...name.split(" "), "k", "v"])).toBe(true);
  });

  test.each([
    [["GETEX", "k"], false],
    [["getex", "k", "PERSIST"], true],
    [["GETEX", "k", "EX", "5"], true],
    [["BITFIELD", "k"], false],
    [["BITFIELD", "k", "GET", "u8", "0"], false],
    [["bitfield", "k", "get", "u8", "0", "set", "u8", "0", "1"], true],
    [["BITFIELD", "k", "INCRBY", "u8", "0", "1"], true],
    [["BITFIELD", "set", "GET", "u8", "0"], false],
    [["SORT", "k"], false],
    [["SORT", "store"], false],
    [["SORT", "k", "ALPHA", "store", "d"], true],
    [["XREAD", "STREAMS", "a", "0"], false],
    [["XREAD", "COUNT", "1", "STREAMS", "block", "0"], false],
    [["XREAD", "block", "0", "streams", "a", "0"], true],
    [["XREADGROUP", "GROUP", "g", "c", "STREAMS", "a", ">"], true],
    [["EVAL_RO", "s", "0"], false],
    [["object", "encoding", "k"], false],
    [["MEMORY", "USAGE", "k"], false],
    [["MEMORY", "PURGE"], true],
    [["ft.aggregate", "i", "*"], false],
    [["FT.AGGREGATE", "i", "*", "WITHCURSOR"], true],
    [["NOSUCHCOMMAND", "k"], true],
    [[], true],
    [[new Uint8Array([71, 69, 84]), "k"], true],
  ])("%j is a write: %s", (words, write) => {
    expect(isWrite(words)).toBe(write);
  });
});

test("a bitfield's operations are sent as one command, in the order given", () => {
  const sent: unknown[] = [];
  const reply = bitfield((spec, args) => {
    sent.push(spec.name, ...spec.encodeArgs(String, args));
    return "reply";
  })("k")
    .set("u8", 0, 255)
    .overflow("FAIL")
    .incrby("u8", "#1", 10)
    .get("i4", 3)
    .exec();
  expect(reply).toBe("reply");
  expect(sent).toEqual("BITFIELD k SET u8 0 255 OVERFLOW FAIL INCRBY u8 #1 10 GET i4 3".split(" "));
  expect(bitfieldSpec.reply([255, null, 3], String, [])).toEqual([255, null, 3]);
});
