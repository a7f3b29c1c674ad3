import { describe, expect, test } from "vitest";
import { commandLine, wantsColours } from "../../../gateway/src/cli/command-lines.js";

const at = new Date(2026, 0, 2, 3, 4, 5, 67);
const base = { name: "GET", keys: ["user:1"], ms: 0.4321, error: null, transaction: false };

describe("the line of a command that was run", () => {
  test.each([
    [base, "03:04:05.067 GET user:1 0.4 ms"],
    [{ ...base, name: "CONFIG GET", keys: [] }, "03:04:05.067 CONFIG GET 0.4 ms"],
    [{ ...base, transaction: true, error: "WRONGTYPE" }, "03:04:05.067 MULTI GET user:1 0.4 ms WRONGTYPE"],
    [{ ...base, keys: ["a", "b", "c", "d", "e", "f"] }, "03:04:05.067 GET a b c d and 2 more 0.4 ms"],
    [{ ...base, keys: ["two words", 'quo"ted', ""] }, '03:04:05.067 GET "two words" "quo\\"ted" "" 0.4 ms'],
    [{ ...base, keys: ["x".repeat(200)] }, `03:04:05.067 GET ${"x".repeat(80)}… 0.4 ms`],
  ])("a command is printed as its line: %o", (command, line) => {
    expect(commandLine(command, at, false)).toBe(line);
  });

  test("the line of a command contains no control character, except for colours", () => {
    const keys = ["\x1b[31mred", "\x9b2J", "line\nbreak", "right\u202eleft", "\x07"];
    const line = commandLine({ ...base, keys: keys.slice(0, 4) }, at, false);
    expect(line).toBe(
      '03:04:05.067 GET "\\u001b[31mred" "\\u009b2J" "line\\nbreak" "right\\u202eleft" 0.4 ms',
    );
    expect(commandLine({ ...base, keys: keys.slice(4) }, at, false)).toContain('"\\u0007"');
  });

  test("the line of a command is coloured on request", () => {
    expect(commandLine({ ...base, error: "ERR" }, at, true)).toBe(
      "\x1b[2m03:04:05.067\x1b[22m \x1b[36mGET\x1b[39m user:1 \x1b[2m0.4 ms\x1b[22m \x1b[31mERR\x1b[39m",
    );
  });

  test("a terminal gets colours, unless its variables say otherwise", () => {
    expect(wantsColours({ isTTY: true }, {})).toBe(true);
    expect(wantsColours({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
    expect(wantsColours({ isTTY: true }, { TERM: "dumb" })).toBe(false);
    expect(wantsColours({}, {})).toBe(false);
  });
});
