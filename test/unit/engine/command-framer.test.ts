import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CommandFramer,
  FramingError,
  TOO_LARGE_COMMAND,
} from "../../../gateway/src/engine/embedded/command-framer.js";

const TOO_LARGE = "too large";

function encode(args: readonly Uint8Array[]): Buffer {
  const parts = args.flatMap((word) => [Buffer.from(`$${word.length}\r\n`), word, Buffer.from("\r\n")]);
  return Buffer.concat([Buffer.from(`*${args.length}\r\n`), ...parts]);
}

/** The framer's output for bytes that arrive in these chunks; whole commands of one chunk are joined. */
function frame(bytes: Buffer, cuts: readonly number[], limit: number): (string | typeof TOO_LARGE)[] {
  const framer = new CommandFramer(limit);
  const framed: Buffer[] = [];
  let start = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > start) framed.push(...framer.push(bytes.subarray(start, cut)));
    start = Math.max(start, cut);
  }
  return framed.flatMap((each) => (each === TOO_LARGE_COMMAND ? [TOO_LARGE] : split(each)));
}

/** Cuts bytes that hold whole commands into them, by a second, simpler reading. */
function split(bytes: Buffer): string[] {
  const commands: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    const line = () => {
      const end = bytes.indexOf("\r\n", at);
      const text = bytes.toString("latin1", at + 1, end);
      at = end + 2;
      return Number(text);
    };
    for (let args = line(); args > 0; args -= 1) {
      const length = line();
      at += length + 2;
    }
    commands.push(bytes.toString("latin1", start, at));
  }
  return commands;
}

const command = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 5 }).map(encode);
const cuts = fc.array(fc.nat(), { maxLength: 30 });

describe("CommandFramer", () => {
  test("commands come out whole and in order, however the bytes are split", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 8 }), cuts, (commands, where) => {
        const expected = commands.map((each) => each.toString("latin1"));
        expect(frame(Buffer.concat(commands), where, 1000)).toEqual(expected);
      }),
    );
  });

  test("a command over the limit becomes one mark in its place, however the bytes are split", () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 8 }),
        cuts,
        fc.integer({ min: 20, max: 80 }),
        (commands, where, limit) => {
          const expected = commands.map((each) =>
            each.length > limit ? TOO_LARGE : each.toString("latin1"),
          );
          expect(frame(Buffer.concat(commands), where, limit)).toEqual(expected);
        },
      ),
    );
  });

  test.each([
    ["GET / HTTP/1.1\r\n", "expected an array"],
    ["*1\r\n+PING\r\n", "expected bulk string"],
    ["*-1\r\n", "expected an array"],
    ["*x\r\n", "expected an array"],
    ["*1\n", "expected an array"],
    ["*99999999\r\n", "invalid multibulk length"],
    ["*1\r\n$-1\r\n", "expected bulk string"],
    ["*1\r\n$99999999999999999999\r\n", "invalid length"],
    [`*${"0".repeat(30)}`, "header too long"],
  ])("%j is refused", (bytes, message) => {
    expect(() => frame(Buffer.from(bytes), [3], 1000)).toThrow(FramingError);
    expect(() => frame(Buffer.from(bytes), [], 1000)).toThrow(message);
  });
});
