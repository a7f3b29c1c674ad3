import { COLON, DOLLAR, GREATER, MINUS, STAR } from "../util/bytes.js";
import { RespReader } from "./reader.js";

/** A decoded reply: Latin-1 text (one character per byte), an integer, null, or a list of these. An error becomes its text. */
export type Decoded = string | number | null | Decoded[];

/** Decodes a complete RESP2 reply to a command that the gateway itself sent. */
export function decode(reply: Buffer): Decoded {
  return decodeNext(new RespReader(reply));
}

function decodeNext(reader: RespReader): Decoded {
  const { type, at, bytes } = reader;
  if (type === STAR) {
    const length = reader.nextLength();
    return length < 0 ? null : Array.from({ length }, () => decodeNext(reader));
  }
  if (type === DOLLAR && bytes[at + 1] === MINUS) {
    reader.skip();
    return null;
  }
  const text = reader.nextContent().toString("latin1");
  return type === COLON ? Number(text) : text;
}

/** Returns the elements of an array reply, each as the bytes that Redis sent. The list is empty for any other reply. */
export function elementsOf(reply: Buffer): Buffer[] {
  return mapElements(reply, (reader) => {
    const from = reader.at;
    reader.skip();
    return reply.subarray(from, reader.at);
  });
}

/**
 * Returns the contents of the bulk strings and integers in an array or a RESP3 push message, such as a message or confirmation
 * of a subscription. An integer becomes its digits, null an empty buffer. The list is empty for any other reply.
 */
export function contentsOf(reply: Buffer): Buffer[] {
  return mapElements(reply, (reader) => reader.nextContent());
}

/** Yields what {@link contentsOf} returns, so that a reply may have any number of elements. */
export function* contentsIn(reply: Buffer): Generator<Buffer> {
  const reader = new RespReader(reply);
  for (let left = reader.nextLength(); left > 0; left--) yield reader.nextContent();
}

function mapElements(reply: Buffer, read: (reader: RespReader) => Buffer): Buffer[] {
  if (reply[0] !== STAR && reply[0] !== GREATER) return [];
  const reader = new RespReader(reply);
  const elements: Buffer[] = [];
  for (let left = reader.nextLength(); left > 0; left--) elements.push(read(reader));
  return elements;
}

export function isError(reply: Buffer): boolean {
  return reply[0] === MINUS;
}

/** Returns the text of a status, an error or an integer. */
export function lineOf(reply: Buffer): string {
  return reply.toString("utf8", 1, reply.length - 2);
}

/** Encodes an array from its encoded elements. */
export function arrayOf(elements: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`*${elements.length}\r\n`), ...elements]);
}

export function errorOf(text: string): Buffer {
  return Buffer.from(`-${text}\r\n`);
}

/** Encodes bytes as a bulk string: a reply, or an argument of a command. */
export function bulkOf(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`$${content.length}\r\n`), content, Buffer.from("\r\n")]);
}

export function integerOf(value: number | bigint): Buffer {
  return Buffer.from(`:${value}\r\n`);
}
