import { ConfigError } from "../errors.js";
import type { CodecOption, CustomCodec } from "../options/options.js";
import { parseLossless } from "./lossless.js";
import type { Bulk } from "./reply.js";

/** Two functions that encode and decode values, but not keys, fields and ids. */
export interface Codec {
  /** Returns the value to store: text or bytes, or anything the default codec takes. */
  encode(value: unknown): unknown;
  /** Returns the value for the caller from the stored one. */
  decode(stored: Bulk): unknown;
  /** Whether `decode` reads only text. Then no reply needs an encoding that keeps bytes. */
  readonly text?: boolean;
  /** Whether these are functions of the user. */
  readonly custom?: boolean;
}

// These codecs encode nothing, because protocol/args.ts turns all arguments into text by one rule.
const encode = (value: unknown) => value;

const named: Record<string, Codec> = {
  json: { encode, text: true, decode: (stored) => parseLossless(stored.text()) },
  text: { encode, text: true, decode: (stored) => stored.text() },
  bytes: { encode, decode: (stored) => stored.bytes() },
};

/** Returns the codec of the option `codec`. @throws ConfigError if the option is neither a codec's name nor two functions. */
export function resolveCodec(option: CodecOption): Codec {
  if (typeof option === "string" && Object.hasOwn(named, option)) return named[option]!;
  const custom = option as CustomCodec;
  if (typeof custom?.encode === "function" && typeof custom.decode === "function") {
    return {
      encode: (value) => custom.encode(value),
      decode: (stored) => custom.decode(stored.bytes()),
      custom: true,
    };
  }
  throw new ConfigError('codec must be "json", "text", "bytes" or { encode, decode }');
}
