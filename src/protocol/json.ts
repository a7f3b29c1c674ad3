import { BytesBulk, TextBulk } from "./bytes.js";
import { MalformedReply, nextDepth } from "./malformed.js";
import { type Bulk, ErrorReply, type RawReply } from "./reply.js";

/**
 * Reads a JSON response of the Upstash REST protocol: `{"result": ...}` or `{"error": "..."}`, or for a batch an
 * array of them.
 * @param base64 whether strings were requested in base64. A top-level OK is never encoded.
 * @throws MalformedReply for anything else.
 */
export function readJson(text: string, base64: boolean): RawReply {
  const body = parseJson(keepDigits(text));
  return Array.isArray(body) ? body.map((item) => readItem(item, base64)) : readItem(body, base64);
}

/** @throws MalformedReply if the text is not JSON. */
export function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedReply("the response is not JSON");
  }
}

function readItem(item: any, base64: boolean): RawReply {
  const value = item?.error ? item : item?.result;
  return value === "OK" ? value : readValue(value, base64);
}

function readValue(value: any, base64: boolean, depth = 0): RawReply {
  if (typeof value === "string") return bulkOf(value, base64);
  if (value === null || typeof value === "number") return value;
  if (Array.isArray(value)) {
    const inside = nextDepth(depth);
    return value.map((item) => readValue(item, base64, inside));
  }
  if (typeof value?.digits === "string") return value.digits;
  if (typeof value?.error === "string") return new ErrorReply(value.error);
  throw new MalformedReply("the response has no result or error");
}

/** Replaces integers of 2^53 and more, which JSON.parse would round, by `{"digits":"..."}`. No reply of Redis is an object. */
function keepDigits(text: string): string {
  if (!/\d{16}/.test(text)) return text;
  let inString = false;
  // Matches small tokens: a pattern for a whole string would need a stack as large as the string.
  return text.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') inString = !inString;
    return inString || !/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))
      ? token
      : `{"digits":"${token}"}`;
  });
}

/** Decodes a string of a response. @throws MalformedReply if it should be base64 and is not. */
export function bulkOf(text: string, base64?: boolean): Bulk {
  if (!base64) return new TextBulk(text);
  let binary: string;
  try {
    // atob() accepts text without padding. Encoders add it, so such text is malformed.
    if (text.length % 4) throw text;
    binary = atob(text);
  } catch {
    throw new MalformedReply("a string is not base64");
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return new BytesBulk(bytes, 0, bytes.length);
}
