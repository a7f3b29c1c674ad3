import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadRequest } from "../../../../gateway/src/api/bad-request.js";
import { JsonCommands, readJsonCommand } from "../../../../gateway/src/api/json-args.js";
import { readPathCommand } from "../../../../gateway/src/api/path-args.js";
import { RespCommands, readRespCommand } from "../../../../gateway/src/api/resp-args.js";
import type { Command } from "../../../../gateway/src/resp/command.js";
import { anyCharacter } from "../../../support/any-character.js";
import { scaled } from "../../../support/random-tests.js";

/** The RESP encoding of a command. */
function resp(args: readonly (string | Uint8Array)[]): Buffer {
  const parts = args.map((word) => Buffer.from(word));
  const chunks = parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from("\r\n")]);
  return Buffer.concat([Buffer.from(`*${args.length}\r\n`), ...chunks]);
}

/** A command's arguments, as text. */
function args(command: Command): string[] {
  return Array.from({ length: command.size }, (_, i) => Buffer.from(command.text(i), "latin1").toString());
}

/** Returns all commands of a source, read `most` at a time. Other commands read in between must not overwrite them. */
function all(source: JsonCommands | RespCommands, most = 1): Command[] {
  const commands: Command[] = [];
  while (source.read(commands, most)) json('["overwrites","nothing"]');
  return commands;
}

const readJsonCommands = (bytes: Buffer, most?: number) => all(new JsonCommands(bytes), most);
const readRespCommands = (bytes: Buffer, most?: number) => all(new RespCommands(bytes), most);
const json = (text: string | Buffer) => readJsonCommand(Buffer.from(text));

describe("a command in JSON", () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("", "\0", '"', "\\", "\n", "a".repeat(70_000), "é".repeat(40_000)),
  );

  test("a JSON command is encoded argument by argument, whatever the arguments contain", () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(undefined, 1, "\t"),
        (list, indent) => {
          expect(json(JSON.stringify(list, null, indent)).bytes.equals(resp(list))).toBe(true);
        },
      ),
      { numRuns: scaled(500) },
    );
  });

  test("JSON commands of a pipeline are encoded as they are alone, and not overwritten by later ones", () => {
    const lists = fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lists, fc.constantFrom(1, 2, 100), (all, most) => {
        const commands = readJsonCommands(Buffer.from(JSON.stringify(all)), most);
        json('["overwrites","nothing"]');
        expect(commands.map((command) => command.bytes.toString("latin1"))).toEqual(
          all.map((list) => resp(list).toString("latin1")),
        );
      }),
      { numRuns: scaled(300) },
    );
  });

  test.each([
    ['["SET","k",9007199254740993]', ["SET", "k", "9007199254740993"]],
    ['["SET","k",1.50]', ["SET", "k", "1.50"]],
    ['["SET","k",-0]', ["SET", "k", "-0"]],
    ['["SET","k",1e400]', ["SET", "k", "1e400"]],
    ['["SET","k",0.1E+2]', ["SET", "k", "0.1E+2"]],
    ['["SET","k",true,false]', ["SET", "k", "true", "false"]],
    ['["a\\ud83d\\ude00\\n\\/\\u00e9"]', ["a😀\n/é"]],
    [' [ "a" , "b" ] \r\n', ["a", "b"]],
    ['["\u2028"]', ["\u2028"]],
  ])("a JSON command is read: %s", (text, expected) => {
    expect(args(json(text))).toEqual(expected);
  });

  test("a JSON command may have very many arguments", () => {
    const list = Array.from({ length: 100_000 }, (_, i) => i);
    expect(json(JSON.stringify(list)).bytes.equals(resp(list.map(String)))).toBe(true);
  });

  test.each([
    "",
    "[]",
    "{}",
    "null",
    '["a",null]',
    '["GET",["k"]]',
    '["GET",{"k":1}]',
    '["GET","k"',
    '["GET","k\\',
    '["GET"]x',
    '["GET",01]',
    '["GET",NaN]',
    "['GET']",
    '["a\nb"]',
    '["\\x41"]',
    '["\\ud800"]',
    '\ufeff["GET"]',
  ])("the JSON command %j is refused with an error of one line", (text) => {
    expect(() => json(text)).toThrow(BadRequest);
    expect(() => json(text)).toThrow(/^ERR [^\n]+$/);
  });

  test("a JSON command must be UTF-8", () => {
    expect(() => json(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toThrow(/UTF-8/);
    // A lone surrogate.
    expect(() => json(Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]))).toThrow(/UTF-8/);
  });

  test("the JSON reader accepts the same lists of scalars as JSON.parse", () => {
    const scrap = fc.constantFrom(...'["],\\u01-.ea \n', "true", "\\u0041");
    const scraps = fc.array(scrap, { maxLength: 12 }).map((parts) => parts.join(""));
    // Scraps alone are hardly ever valid JSON. These lists are valid apart from up to two changes.
    const items = fc.array(
      fc.constantFrom('"a"', '""', '"\\u0041"', '"\\\\"', "0", "-1.0e-1", "true", "null", '["a"]'),
      { minLength: 1, maxLength: 4 },
    );
    const change = fc.tuple(fc.nat(30), fc.nat(2), fc.oneof(fc.constant(""), scrap));
    const nearly = fc
      .tuple(items, fc.array(change, { maxLength: 2 }))
      .map(([list, changes]) =>
        changes.reduce(
          (text, [at, length, put]) => text.slice(0, at) + put + text.slice(at + length),
          list.join(","),
        ),
      );
    fc.assert(
      fc.property(fc.oneof(scraps, nearly), (inner) => {
        const text = `[${inner}]`;
        let expected: string[] | null = null;
        try {
          const value = JSON.parse(text);
          const scalars = value.every((item: unknown) =>
            ["string", "number", "boolean"].includes(typeof item),
          );
          // Numbers keep their text, which JSON.parse does not return: only check that they are accepted.
          if (scalars && value.length > 0)
            expected = value.map((item: unknown) => (typeof item === "string" ? item : ""));
        } catch {}
        if (!expected) expect(() => json(text)).toThrow(BadRequest);
        else expect(args(json(text)).map((item, i) => (expected[i] === "" ? "" : item))).toEqual(expected);
      }),
      { numRuns: scaled(5_000) },
    );
  });
});

test.each([
  "[]",
  "",
  '["GET","k"]',
  "[[]]",
  '[["GET"],[]]',
  '[["GET"],null]',
  '[["GET"]',
  '[["GET"]]]',
  '[["GET"],]',
  "{}",
  '[{"0":"GET"}]',
])("the JSON pipeline %s is refused", (text) => {
  expect(() => readJsonCommands(Buffer.from(text))).toThrow(BadRequest);
});

describe("a batch", () => {
  const lines = Buffer.concat(Array.from({ length: 5 }, (_, i) => resp(["ECHO", `${i}`])));
  const text = Buffer.from(JSON.stringify(Array.from({ length: 5 }, (_, i) => ["ECHO", i])));

  test.each([
    ["JSON", () => new JsonCommands(text)],
    ["RESP", () => new RespCommands(lines)],
  ])("a batch is read only as far as requested, in %s", (_, open) => {
    const source = open();
    const commands: Command[] = [];
    expect(source.read(commands, 2)).toBe(true);
    expect(commands.length).toBe(2);
    while (source.read(commands, 2));
    expect(commands.map((command) => command.text(1))).toEqual(["0", "1", "2", "3", "4"]);
  });
});

describe("a command in RESP", () => {
  const list = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 6 });

  test("a RESP command is passed on unchanged", () => {
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 2, 100), (all, most) => {
        const encoded = all.map(resp);
        const commands = readRespCommands(Buffer.concat(encoded), most);
        expect(commands.map((command) => command.bytes)).toEqual(encoded);
        expect(commands.map((command) => command.size)).toEqual(all.map((args) => args.length));
        expect(readRespCommand(encoded[0]!).bytes).toEqual(encoded[0]);
      }),
    );
  });

  test.each([
    "",
    "*0\r\n",
    "*-1\r\n",
    "*1\r\n",
    "*1\r\n$-1\r\n",
    "*1\r\n$1\r\n",
    "*1\r\n$1\r\na",
    "*1\r\n$1\r\na\r",
    "*1\r\n$1\r\nab\r\n",
    "*1\r\n$2\r\na\r\n",
    "*1\r\n:1\r\n",
    "*1\r\n*1\r\n$1\r\na\r\n",
    "*01\r\n$1\r\na\r\n",
    "*1\r\n$01\r\na\r\n",
    "*1\n$1\na\n",
    "*1\r\n$1\r\na\r\n ",
    "*9999999999999\r\n",
    "PING\r\n",
    "$4\r\nPING\r\n",
  ])("the RESP command %j is refused", (text) => {
    expect(() => readRespCommand(Buffer.from(text))).toThrow(BadRequest);
    expect(() => readRespCommands(Buffer.from(text))).toThrow(BadRequest);
  });

  test("two RESP commands are refused where one is expected", () => {
    expect(() => readRespCommand(Buffer.concat([resp(["PING"]), resp(["FLUSHALL"])]))).toThrow(BadRequest);
  });
});

describe("a command in the path", () => {
  test.each([
    ["/get/foo", "", null, ["get", "foo"]],
    ["/get/foo/", "", null, ["get", "foo"]],
    ["/set/a//b", "", null, ["set", "a", "", "b"]],
    ["/set/foo", "EX=100", "value", ["set", "foo", "value", "EX", "100"]],
    ["/set/foo", "NX&EX=100", "v", ["set", "foo", "v", "NX", "EX", "100"]],
    ["/set/foo", "NX=&_token=secret", "v", ["set", "foo", "v", "NX"]],
    ["/set/foo/bar", "", "", ["set", "foo", "bar"]],
    ["/set/a%2Fb%20c/%E2%82%AC%F0%9F%98%80", "", null, ["set", "a/b c", "€😀"]],
    ["/set/a+b/c", "X=d+e%2B", null, ["set", "a+b", "c", "X", "d e+"]],
  ] as const)("the path %s?%s with body %j is read", (path, query, body, expected) => {
    expect(args(readPathCommand(path, query, body === null ? null : Buffer.from(body)))).toEqual(expected);
  });

  test("a command in the path may contain any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.uint8Array({ minLength: 1 }), (key, value) => {
        const escaped = [...key].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
        const command = readPathCommand(`/set/${escaped}`, "", Buffer.from(value));
        expect(command.bytes).toEqual(resp(["set", key, value]));
      }),
    );
  });

  test.each(["/get/%", "/get/%2", "/get/%zz", "/get/%-1", "/get/% 1"])("the path %s is refused", (path) => {
    expect(() => readPathCommand(path, "", null)).toThrow(BadRequest);
  });

  test("a path without a command is refused", () => {
    expect(() => readPathCommand("//x", "", null)).toThrow(BadRequest);
  });
});
