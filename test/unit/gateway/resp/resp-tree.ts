import fc from "fast-check";
import { anyCharacter } from "../../../support/any-character.js";

/** A RESP2 reply as a tree. */
export type Tree =
  | { readonly type: "status" | "error"; readonly text: string }
  | { readonly type: "integer"; readonly digits: string }
  | { readonly type: "bulk"; readonly bytes: Uint8Array | null }
  | { readonly type: "array"; readonly items: readonly Tree[] | null };

/** The bytes of a reply. */
export function encode(tree: Tree): Buffer {
  switch (tree.type) {
    case "status":
      return Buffer.from(`+${tree.text}\r\n`);
    case "error":
      return Buffer.from(`-${tree.text}\r\n`);
    case "integer":
      return Buffer.from(`:${tree.digits}\r\n`);
    case "bulk":
      if (!tree.bytes) return Buffer.from("$-1\r\n");
      return Buffer.concat([Buffer.from(`$${tree.bytes.length}\r\n`), tree.bytes, Buffer.from("\r\n")]);
    case "array":
      if (!tree.items) return Buffer.from("*-1\r\n");
      return Buffer.concat([Buffer.from(`*${tree.items.length}\r\n`), ...tree.items.map(encode)]);
  }
}

const line = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => !/[\r\n]/.test(text));

/** Bytes, often ones that look like the protocol itself. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.string({ unit: anyCharacter, maxLength: 30 }).map((text) => Buffer.from(text)),
  fc
    .constantFrom("\r\n", "$-1\r\n", "*2\r\n", '"\\\u0000', "\u2028", "a".repeat(5_000))
    .map((text) => Buffer.from(text)),
);

/** Any reply. */
export const anyReply: fc.Arbitrary<Tree> = fc.letrec<{ reply: Tree }>((tie) => ({
  reply: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ type: fc.constant("bulk" as const), bytes: fc.option(bytes) }),
    fc.record({
      type: fc.constant("integer" as const),
      digits: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
    }),
    fc.record({ type: fc.constantFrom("status" as const, "error" as const), text: line }),
    fc.record({
      type: fc.constant("array" as const),
      items: fc.option(fc.array(tie("reply"), { maxLength: 6 })),
    }),
  ),
})).reply;
