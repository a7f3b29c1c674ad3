import fc from "fast-check";
import { expect, test } from "vitest";
import { CommandReader, MalformedCommand } from "../../../src/connector/command-reader.js";

const encode = (args: readonly Uint8Array[]) =>
  Buffer.concat([
    Buffer.from(`*${args.length}\r\n`),
    ...args.flatMap((arg) => [Buffer.from(`$${arg.length}\r\n`), arg, Buffer.from("\r\n")]),
  ]);

test("a reader returns the commands, wherever the chunks end", () => {
  const arg = fc.uint8Array({ maxLength: 40 });
  const command = fc.array(arg, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 5 }), fc.array(fc.nat(30)), (commands, sizes) => {
      const bytes = Buffer.concat(commands.map(encode));
      const reader = new CommandReader();
      const read = [];
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        read.push(...reader.read(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(read.map(({ raw }) => raw.toString("hex"))).toEqual(
        commands.map((args) => encode(args).toString("hex")),
      );
      expect(read.map(({ args }) => args.map((arg) => [...arg]))).toEqual(
        commands.map(([, ...args]) => args.map((arg) => [...arg])),
      );
      expect(reader.pending).toBe(0);
    }),
  );
});

test("a reader gives the name in upper case and the arguments as they are", () => {
  const [command] = new CommandReader().read(encode([Buffer.from("get"), Buffer.from("Key")]));
  expect(command).toMatchObject({ name: "GET", argv: ["GET", Buffer.from("Key")] });
});

test("a large argument in many chunks is joined once", () => {
  const value = Buffer.alloc(8 * 1024 * 1024, "x");
  const bytes = encode([Buffer.from("SET"), Buffer.from("k"), value]);
  const reader = new CommandReader();
  const began = performance.now();
  const read = [];
  for (let at = 0; at < bytes.length; at += 1024) read.push(...reader.read(bytes.subarray(at, at + 1024)));
  expect(read[0]!.args[1]!.equals(value)).toBe(true);
  // Joining at every chunk would copy 32 GB.
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("a command of many arguments in many chunks is read once", () => {
  const bytes = encode(Array.from({ length: 20_000 }, (_, n) => Buffer.from(String(n))));
  const reader = new CommandReader();
  const read = [];
  const began = performance.now();
  for (let at = 0; at < bytes.length; at += 64) read.push(...reader.read(bytes.subarray(at, at + 64)));
  expect(read[0]!.args).toHaveLength(19_999);
  // Reading all arguments again at every chunk would read over 30 million of them.
  expect(performance.now() - began).toBeLessThan(5_000);
});

test.each([
  ["inline commands", "PING\r\n"],
  ["an HTTP request", "GET / HTTP/1.1\r\n"],
  ["no name", "*0\r\n"],
  ["a negative length", "*-1\r\n"],
  ["integers in the array", "*1\r\n:1\r\n"],
  ["a bulk string longer than declared", "*1\r\n$3\r\nPINGS\r\n"],
  ["a line that does not end", `*${"1".repeat(40)}`],
])("the reader refuses %s", (_, text) => {
  expect(() => new CommandReader().read(Buffer.from(text))).toThrow(MalformedCommand);
});
