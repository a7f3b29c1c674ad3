import fc from "fast-check";
import { expect, test } from "vitest";
import { argsOf, commandOf } from "../../../../gateway/src/resp/args.js";
import { RespReader } from "../../../../gateway/src/resp/reader.js";
import { contentsOf, decode, elementsOf } from "../../../../gateway/src/resp/replies.js";
import { anyReply, encode, type Tree } from "./resp-tree.js";

/** The value that `decode` returns for a tree. */
function decoded(tree: Tree): unknown {
  const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
  if (tree.type === "array") return tree.items?.map(decoded) ?? null;
  if (tree.type === "integer") return Number(tree.digits);
  if (tree.type === "bulk") return tree.bytes && latin1(tree.bytes);
  return latin1(Buffer.from(tree.text));
}

test("after a skip the reader is at the end of the reply, whatever the reply", () => {
  fc.assert(
    fc.property(anyReply, anyReply, (first, second) => {
      const bytes = Buffer.concat([encode(first), encode(second)]);
      const reader = new RespReader(bytes);
      reader.skip();
      expect(reader.at).toBe(encode(first).length);
      reader.skip();
      expect(reader.at).toBe(bytes.length);
    }),
  );
});

test("decode() and elementsOf() return what was encoded", () => {
  fc.assert(
    fc.property(anyReply, (tree) => {
      expect(decode(encode(tree))).toEqual(decoded(tree));
      const items = tree.type === "array" ? (tree.items ?? []) : [];
      expect(elementsOf(encode(tree))).toEqual(items.map(encode));
    }),
  );
});

test("contentsOf() returns the bytes of bulk strings, the digits of integers and nothing for a null", () => {
  const reply = Buffer.from("*4\r\n$7\r\nmessage\r\n$2\r\n\r\n\r\n:-12\r\n$-1\r\n");
  expect(contentsOf(reply).map(String)).toEqual(["message", "\r\n", "-12", ""]);
  expect(contentsOf(Buffer.from("*-1\r\n"))).toEqual([]);
  expect(contentsOf(Buffer.from("+OK\r\n"))).toEqual([]);
});

test("the arguments of a command are found again in its encoding", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary-ascii" }), { minLength: 1, maxLength: 30 }), (args) => {
      const command = commandOf(args);
      expect(argsOf(command)).toEqual(args);
      const encoded = args.map((arg) => `$${arg.length}\r\n${arg}\r\n`);
      args.forEach((arg, index) => {
        expect(command.text(index)).toBe(arg);
        expect(command.content(index).toString()).toBe(arg);
        expect(command.slice(0, index).toString()).toBe(encoded.slice(0, index).join(""));
        expect(command.slice(index, args.length).toString()).toBe(encoded.slice(index).join(""));
      });
      expect(command.text(-1) + command.text(args.length)).toBe("");
    }),
  );
});
