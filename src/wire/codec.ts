import { ConfigError } from "../errors.js";
import { parseLossless } from "./lossless.js";
import type { Bulk } from "./reply.js";

/** How values (not keys, fields or ids) are written and read. */
export interface Codec {
  /** Gives what is stored: text or bytes, or anything the default codec takes. */
  encode(value: unknown): unknown;
  /** Gives what the caller gets from what is stored. */
  decode(stored: Bulk): unknown;
}

/** Two functions of the user's own: `encode` gives text or bytes, `decode` gets the stored bytes. */
export interface CustomCodec {
  /** Gives what is stored for a value. */
  encode(value: unknown): string | Uint8Array;
  /** Gives the value for what is stored. */
  decode(stored: Uint8Array): unknown;
}

/** How values are written and read. */
export type CodecOption = "json" | "text" | "bytes" | CustomCodec;

// Words are turned into text by one rule for all arguments (wire/words.ts), so these have nothing to add.
const asIs = (value: unknown) => value;

const json: Codec = { encode: asIs, decode: (stored) => parseLossless(stored.text()) };
const text: Codec = { encode: asIs, decode: (stored) => stored.text() };
const bytes: Codec = { encode: asIs, decode: (stored) => stored.bytes() };

/** @throws ConfigError when the option is neither a codec's name nor two functions. */
export function codecFrom(option: CodecOption): Codec {
  if (option === "json") return json;
  if (option === "text") return text;
  if (option === "bytes") return bytes;
  if (typeof option?.encode === "function" && typeof option.decode === "function") {
    return { encode: (value) => option.encode(value), decode: (stored) => option.decode(stored.bytes()) };
  }
  throw new ConfigError('codec must be "json", "text", "bytes" or an object with encode and decode', {
    outcome: "unsent",
  });
}
