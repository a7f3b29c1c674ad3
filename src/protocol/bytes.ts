import type { Bulk } from "./reply.js";

/** Bytes from a transport. On Node they are a Buffer, whose own decoder is several times faster than TextDecoder. */
export interface Chunk extends Uint8Array {
  utf8Slice?(start: number, end: number): string;
}

let decoder: InstanceType<typeof TextDecoder> | undefined;

/** Decodes a part of a chunk as UTF-8. Invalid bytes become U+FFFD. */
export function utf8(chunk: Chunk, start: number, end: number): string {
  if (chunk.utf8Slice) return chunk.utf8Slice(start, end);
  // A byte order mark is part of the value.
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(chunk.subarray(start, end));
}

/** Returns bytes as text if they are UTF-8, or undefined. Not every endpoint accepts bytes. */
export function textIfUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns bytes as hexadecimal digits. @param prefix precedes each byte, such as % in a URL. */
export const toHex = (bytes: Uint8Array, prefix = ""): string =>
  Array.from(bytes, (byte) => prefix + byte.toString(16).padStart(2, "0")).join("");

/** Joins byte arrays. A single part is returned itself, not copied. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A bulk string inside the bytes of a response. */
export class BytesBulk implements Bulk {
  constructor(
    private readonly chunk: Chunk,
    private readonly start: number,
    private readonly end: number,
  ) {}

  text(): string {
    return utf8(this.chunk, this.start, this.end);
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.chunk.subarray(this.start, this.end));
  }
}

const encoder = new TextEncoder();

/** Encodes text as UTF-8, and returns bytes unchanged. */
export const toBytes = (arg: string | Uint8Array): Uint8Array =>
  typeof arg === "string" ? encoder.encode(arg) : arg;

/** A bulk string that was received as text. */
export class TextBulk implements Bulk {
  constructor(private readonly value: string) {}

  text(): string {
    return this.value;
  }

  bytes(): Uint8Array {
    return toBytes(this.value);
  }
}
