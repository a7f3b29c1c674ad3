import type { Bulk } from "./reply.js";

/** Bytes as a transport hands them over; on Node they are a Buffer, whose own readers are several times faster. */
export interface Chunk extends Uint8Array {
  utf8Slice?(start: number, end: number): string;
}

let decoder: InstanceType<typeof TextDecoder> | undefined;

export function utf8(chunk: Chunk, start: number, end: number): string {
  if (chunk.utf8Slice) return chunk.utf8Slice(start, end);
  // A byte order mark is part of the value.
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(chunk.subarray(start, end));
}

/** Bytes as text if they are UTF-8, else undefined: not every endpoint takes bytes. */
export function textIfUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export const toHex = (bytes: Uint8Array, prefix = ""): string =>
  Array.from(bytes, (byte) => prefix + byte.toString(16).padStart(2, "0")).join("");

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

/** A bulk string still inside the response's bytes. */
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

/** An argument as bytes. */
export const toBytes = (given: string | Uint8Array): Uint8Array =>
  typeof given === "string" ? encoder.encode(given) : given;

/** A bulk string that came as text. */
export class TextBulk implements Bulk {
  constructor(private readonly value: string) {}

  text(): string {
    return this.value;
  }

  bytes(): Uint8Array {
    return toBytes(this.value);
  }
}
