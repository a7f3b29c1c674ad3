import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { argsOf } from "../../../gateway/src/resp/args.js";
import { readSeedFile } from "../../../gateway/src/seed/seed-file.js";
import { QuoteError, splitLine } from "../../../gateway/src/util/split-line.js";
import { newFolder } from "../../support/new-folder.js";

describe("a line is split as redis-cli does", () => {
  test.each([
    ["SET k v", ["SET", "k", "v"]],
    ["  SET\tk   v  ", ["SET", "k", "v"]],
    ['SET "two words" "a\\"b\\\\c"', ["SET", "two words", 'a"b\\c']],
    ['SET k "\\x00\\xFF\\n\\r\\t\\b\\a\\q"', ["SET", "k", "\0\xff\n\r\t\b\x07q"]],
    ["SET k 'it\\'s \"so\" \\n'", ["SET", "k", 'it\'s "so" \\n']],
    ['SET k ""', ["SET", "k", ""]],
    ["SET k ''", ["SET", "k", ""]],
    ['SET a"b c"', ["SET", "ab c"]],
    ["SET k \\n", ["SET", "k", "\\n"]],
    ["SET color #fff", ["SET", "color", "#fff"]],
    ['"\\x4"', ["x4"]],
    // The second byte of à is a blank in Latin-1.
    ["SET \xc3\xa0 v", ["SET", "\xc3\xa0", "v"]],
  ])("the line %s is split as redis-cli does", (line, args) => {
    expect(splitLine(line)).toEqual(args);
  });

  test.each([
    ['SET k "open', "a quote is not closed"],
    ["SET k 'open", "a quote is not closed"],
    ['SET k "a\\"', "a quote is not closed"],
    ['SET k "a"b', "a closing quote must be followed by a space"],
    ["SET k 'a'b", "a closing quote must be followed by a space"],
  ])("the line %s is refused", (line, message) => {
    expect(() => splitLine(line)).toThrow(new QuoteError(message));
  });

  test("the line reader accepts whatever redis-cli prints", () => {
    const shown = (bytes: Uint8Array) =>
      `"${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}"`;
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { minLength: 1 }), (args) => {
        const found = splitLine(args.map(shown).join(" "));
        expect(found.map((word) => [...Buffer.from(word, "latin1")])).toEqual(args.map((word) => [...word]));
      }),
    );
  });
});

const folder = newFolder("seed");
const file = join(folder, "seed.redis");
const read = (text: string | Buffer) => {
  writeFileSync(file, text);
  return readSeedFile(file).commands.map(({ command, line }) => [line, ...argsOf(command)]);
};

test("a seed file has commands in redis-cli's quoting and as JSON, comments and empty lines", () => {
  const text = '\ufeff# users\r\nSET a "1 2"\r\n\n   # more\n["SET","ä",1.50]\nset k ä\n';
  const latin1 = (word: string) => Buffer.from(word).toString("latin1");
  expect(read(text)).toEqual([
    [2, "SET", "a", "1 2"],
    [5, "SET", latin1("ä"), "1.50"],
    [6, "set", "k", latin1("ä")],
  ]);
  expect(read("")).toEqual([]);
});

test.each([
  ['SET a 1\nSET secret "open', 2, "a quote is not closed"],
  ['["SET","secret",{}]', 1, "an argument is an array or an object"],
  ["SET a 1\n\nSELECT 1", 3, "NOPERM"],
  ["CONFIG SET requirepass secret", 1, "NOPERM"],
  ["MULTI", 1, "NOPERM"],
  ["BLPOP secret 0", 1, "a blocking command is not allowed here"],
  ["XREAD BLOCK 0 STREAMS secret $", 1, "a blocking command is not allowed here"],
])("%j is refused at its line", (text, line, message) => {
  expect(() => read(text)).toThrow(`seed: ${file}: line ${line}: `);
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).not.toThrow("secret");
});

test("a missing seed file is named", () => {
  expect(() => readSeedFile(join(folder, "none"))).toThrow(
    `seed: ${join(folder, "none")}: there is no such file`,
  );
  expect(() => readSeedFile(folder)).toThrow(`seed: ${folder}: it cannot be read (EISDIR)`);
});
