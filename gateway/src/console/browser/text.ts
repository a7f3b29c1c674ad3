import type { Reply } from "./resp.js";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns bytes as text if they are visible UTF-8, else in quotes with the escapes of redis-cli.
 * @param allowed control characters that the text may contain. Default: none
 */
export function shown(bytes: Uint8Array, allowed = ""): string {
  const text = decoded(bytes);
  const isSeen =
    text !== null && text !== "" && [...text].every((c) => !/\p{C}/u.test(c) || allowed.includes(c));
  return isSeen ? text : quoted(bytes);
}

/** Bytes in quotes, so that the prompt reads them back as they are. */
export function quoted(bytes: Uint8Array): string {
  const escapes: Record<number, string> = { 9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\" };
  const text = Array.from(bytes, (byte) => {
    if (escapes[byte]) return escapes[byte];
    if (byte >= 32 && byte < 127) return String.fromCharCode(byte);
    return `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("");
  return `"${text}"`;
}

/** A reply as redis-cli prints it, with at most `max` elements of each array. */
export function printed(reply: Reply, max = 1_000, indent = ""): string {
  switch (reply.kind) {
    case "status":
      return reply.text;
    case "error":
      return `(error) ${reply.text}`;
    case "integer":
      return `(integer) ${reply.text}`;
    case "null":
      return "(nil)";
    case "bulk":
      return bulk(reply.bytes);
    case "array": {
      const { items } = reply;
      if (items.length === 0) return "(empty array)";
      const width = String(items.length).length;
      const lines = items.slice(0, max).map((item, at) => {
        const head = `${String(at + 1).padStart(width)}) `;
        const inner = printed(item, max, indent + " ".repeat(head.length));
        return `${at === 0 ? "" : indent}${head}${inner}`;
      });
      if (items.length > max) lines.push(`${indent}... ${items.length - max} more`);
      return lines.join("\n");
    }
  }
}

/** Text of many lines, such as INFO's, is easier to read as lines. */
function bulk(bytes: Uint8Array): string {
  const text = decoded(bytes);
  if (text?.includes("\n") && !/[^\P{C}\r\n\t]/u.test(text)) return text;
  return text === null || /\p{C}/u.test(text) ? quoted(bytes) : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Returns the text of a reply that is a string or a number, as the page shows it. Empty for others. */
export function textOf(reply: Reply | undefined): string {
  if (reply?.kind === "bulk") return shown(reply.bytes);
  return reply && "text" in reply ? reply.text : "";
}

/** The bytes of a string, or of the text of another reply. */
export function bytesOf(reply: Reply | undefined): Uint8Array {
  return reply?.kind === "bulk" ? reply.bytes : new TextEncoder().encode(textOf(reply));
}

/** Returns the elements of an array reply. Empty for any other reply. */
export function itemsOf(reply: Reply | undefined): readonly Reply[] {
  return reply?.kind === "array" ? reply.items : [];
}

/** Returns bytes as text, or null if they are not UTF-8. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** Returns the line end of a text, `\n` for a text of one line, and null for a text with several kinds of line ends. */
export function lineEndOf(text: string): string | null {
  const [end = "\n", ...others] = new Set(text.match(/\r\n?|\n/g));
  return others.length === 0 ? end : null;
}

/** The types of keys that the page knows. */
export const TYPES = ["string", "hash", "list", "set", "zset", "stream", "ReJSON-RL"];

/** Returns the name of a type as the page shows it. */
export function typeName(type: string): string {
  return type === "ReJSON-RL" ? "json" : type;
}

/** Returns a time to live in ms as text. Empty without one. */
export function duration(ms: number): string {
  if (!(ms >= 0)) return "";
  const seconds = ms / 1_000;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
