import type { Word } from "./words.js";

const encoder = new TextEncoder();

/** Commands as RESP2 arrays of bulk strings, one after another: what warmline-gateway takes beside JSON. */
export function toResp2(commands: readonly (readonly Word[])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const words of commands) {
    let text = `*${words.length}\r\n`;
    for (const word of words) {
      const bytes = typeof word === "string" ? encoder.encode(word) : word;
      parts.push(encoder.encode(`${text}$${bytes.length}\r\n`), bytes);
      text = "\r\n";
    }
    parts.push(encoder.encode("\r\n"));
  }
  return concat(parts);
}

/**
 * One command in the path, its last word as the raw body: how an endpoint without RESP2 takes bytes.
 * Other words that are bytes are percent-encoded.
 */
export function toPath(words: readonly Word[]): { path: string; body: Uint8Array } {
  const last = words[words.length - 1]!;
  return {
    path: words.slice(0, -1).map(percentEncode).join("/"),
    body: typeof last === "string" ? encoder.encode(last) : last,
  };
}

function percentEncode(word: Word): string {
  if (typeof word === "string") return encodeURIComponent(word);
  let text = "";
  for (const byte of word) text += `%${byte.toString(16).padStart(2, "0")}`;
  return text;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
