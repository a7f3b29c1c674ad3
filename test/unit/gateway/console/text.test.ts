import { expect, test } from "vitest";
import { decoded, printed, shown } from "../../../../gateway/src/console/browser/text.js";

const WITH_MARK = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61);

test("a byte order mark stays part of the text that is edited", () => {
  expect(decoded(WITH_MARK)).toBe("\ufeffa");
});

test("a byte order mark is shown as bytes", () => {
  expect(shown(WITH_MARK)).toBe('"\\xef\\xbb\\xbfa"');
  expect(printed({ kind: "bulk", bytes: WITH_MARK })).toBe('"\\xef\\xbb\\xbfa"');
});
