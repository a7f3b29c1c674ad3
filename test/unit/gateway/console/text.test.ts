import { expect, test } from "vitest";
import { decoded, lineEndOf, printed, shown } from "../../../../gateway/src/console/browser/text.js";

const WITH_MARK = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61);

test("a byte order mark stays part of the text that is edited", () => {
  expect(decoded(WITH_MARK)).toBe("\ufeffa");
});

test("a byte order mark is shown as bytes", () => {
  expect(shown(WITH_MARK)).toBe('"\\xef\\xbb\\xbfa"');
  expect(printed({ kind: "bulk", bytes: WITH_MARK })).toBe('"\\xef\\xbb\\xbfa"');
});

test.each([
  ["a", "\n"],
  ["a\nb\n", "\n"],
  ["a\r\nb\r\n", "\r\n"],
  ["a\rb", "\r"],
  ["a\r\nb\n", null],
  ["a\n\rb", null],
])("the line end of %j is %j", (text, end) => {
  expect(lineEndOf(text)).toBe(end);
});
