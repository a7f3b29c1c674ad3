// RESP2 as the gateway passes it on: Redis's own bytes, so that a reply is displayed as in redis-cli.

import { joinBytes } from "../../util/join-bytes.js";

export type Reply =
  | { readonly kind: "status" | "error" | "integer"; readonly text: string }
  | { readonly kind: "bulk"; readonly bytes: Uint8Array }
  | { readonly kind: "array"; readonly items: readonly Reply[] }
  | { readonly kind: "null" };

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const CR = 13;
/** The replies of one line, by their first character. */
const LINES = { "+": "status", "-": "error", ":": "integer" } as const;

/** The arguments of a command as a request's body. */
export function encodeCommand(args: readonly (string | Uint8Array)[]): Uint8Array {
  const parts: Uint8Array[] = [encoder.encode(`*${args.length}\r\n`)];
  for (const arg of args) {
    const bytes = typeof arg === "string" ? encoder.encode(arg) : arg;
    parts.push(encoder.encode(`$${bytes.length}\r\n`), bytes, encoder.encode("\r\n"));
  }
  return joinBytes(parts);
}

/** @throws Error when the bytes are not one whole reply */
export function decodeReply(bytes: Uint8Array): Reply {
  let at = 0;
  const line = (): string => {
    const end = bytes.indexOf(CR, at);
    if (end < 0) throw new Error("the response is truncated");
    const text = decoder.decode(bytes.subarray(at, end));
    at = end + 2;
    return text;
  };
  const next = (): Reply => {
    const head = line();
    const rest = head.slice(1);
    switch (head[0]) {
      case "+":
      case "-":
      case ":":
        return { kind: LINES[head[0]], text: rest };
      case "$": {
        const length = Number(rest);
        if (length < 0) return { kind: "null" };
        const bulk = bytes.subarray(at, at + length);
        if (bulk.length < length) throw new Error("the response is truncated");
        at += length + 2;
        return { kind: "bulk", bytes: bulk };
      }
      case "*": {
        const count = Number(rest);
        return count < 0 ? { kind: "null" } : { kind: "array", items: Array.from({ length: count }, next) };
      }
      default:
        throw new Error("the response is not a Redis reply");
    }
  };
  return next();
}
