import fc from "fast-check";
import { expect, test } from "vitest";
import { asName, commandName } from "../../../../gateway/src/resp/command-name.js";

const name = (bytes: Buffer) =>
  commandName(Buffer.concat([Buffer.from("$"), bytes, Buffer.from("\r\n")]), 1, 1 + bytes.length);

test("commandName returns the same as asName for any bytes, cached or not", () => {
  const letters = fc.constantFrom(..."geGE\0\r\u00e9\u00c9\u00df\u00ff @`");
  const word = fc.oneof(
    fc.array(letters, { maxLength: 4 }).map((all) => Buffer.from(all.join(""), "latin1")),
    // Names longer than 32 bytes are not cached.
    fc.uint8Array({ maxLength: 40, size: "max" }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 50, size: "max" }), (args) => {
      for (const each of args) {
        expect(name(each)).toBe(asName(each.toString("latin1")));
        expect(name(each)).toBe(asName(each.toString("latin1")));
      }
    }),
  );
});

test("names are right when there are more than the cache holds", () => {
  for (let i = 0; i < 5_000; i++) expect(name(Buffer.from(`name${i}`))).toBe(`NAME${i}`);
  expect(name(Buffer.from("get"))).toBe("GET");
});
