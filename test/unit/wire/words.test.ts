import fc from "fast-check";
import { expect, test } from "vitest";
import { ArgumentError } from "../../../src/errors.js";
import { toPath, toResp2 } from "../../../src/wire/request.js";
import { toWords } from "../../../src/wire/words.js";

test.each([
  ["text", "text"],
  ["", ""],
  [12, "12"],
  [-0.5, "-0.5"],
  [10n ** 20n, "100000000000000000000"],
  [true, "true"],
  [null, "null"],
  [{ a: [1, undefined] }, '{"a":[1,null]}'],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
])("%s is sent as %j", (value, word) => {
  expect(toWords("SET", ["k", value])).toEqual(["SET", "k", word]);
});

test("bytes are sent as they are", () => {
  const bytes = new Uint8Array([0, 255]);
  expect(toWords("SET", ["k", bytes])[2]).toBe(bytes);
});

test("a subcommand is a word of its own", () => {
  expect(toWords("OBJECT ENCODING", ["k"])).toEqual(["OBJECT", "ENCODING", "k"]);
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
test.each([
  ["undefined", undefined],
  ["NaN", Number.NaN],
  ["a function", () => "secret"],
  ["a symbol", Symbol("secret")],
  ["a lone surrogate", "\ud800"],
  ["a cycle", cycle],
  ["an object without JSON", { toJSON: () => undefined }],
])("%s is an ArgumentError that names the command and the place, not the value", (_what, value) => {
  let error: unknown;
  try {
    toWords("SET", ["secret", value], 3);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ArgumentError);
  expect(error).toMatchObject({
    outcome: "unsent",
    command: "SET",
    index: 3,
    message: expect.stringMatching(/^SET: argument 2 is /),
  });
  expect((error as Error).message).not.toContain("secret");
});

test("RESP2 requests hold the words byte for byte", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array()), { minLength: 1 })),
      (commands) => {
        const expected = commands.map((words) => {
          const bulks = words.map((word) => {
            const bytes = Buffer.from(word as string);
            return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);
          });
          return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...bulks]);
        });
        expect(Buffer.from(toResp2(commands)).equals(Buffer.concat(expected))).toBe(true);
      },
    ),
  );
});

test("a command in the path escapes its words and keeps the last for the body", () => {
  const { path, body } = toPath(["SET", "a/b?é", new Uint8Array([0, 0xff]), "last"]);
  expect(path).toBe("SET/a%2Fb%3F%C3%A9/%00%ff");
  expect(Buffer.from(body).toString()).toBe("last");
});
