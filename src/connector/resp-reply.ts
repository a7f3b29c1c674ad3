import { MalformedReply } from "../protocol/malformed.js";
import { Resp2Reader } from "../protocol/resp2.js";

const MINUS = 0x2d;

export const OK = Buffer.from("+OK\r\n");
export const QUEUED = Buffer.from("+QUEUED\r\n");
const NULL = Buffer.from("$-1\r\n");
const CRLF = Buffer.from("\r\n");

/** An item of {@link array}: bytes and text as bulk strings, an integer, null, or an array. */
type Item = Buffer | string | number | null | readonly Item[];

/** Returns an array reply. */
export function array(items: readonly Item[]): Buffer {
  return Buffer.concat([Buffer.from(`*${items.length}\r\n`), ...items.map(reply)]);
}

/** Returns the reply for a value. */
export function reply(item: Item): Buffer {
  if (item === null) return NULL;
  if (typeof item === "number") return Buffer.from(`:${item}\r\n`);
  if (typeof item === "string") return reply(Buffer.from(item));
  if (!Buffer.isBuffer(item)) return array(item as readonly Item[]);
  return Buffer.concat([Buffer.from(`$${item.length}\r\n`), item, CRLF]);
}

/** Returns a simple string. */
export function simple(text: string): Buffer {
  return Buffer.from(`+${oneLine(text)}\r\n`);
}

/** Returns an error reply. */
export function errorReply(text: string): Buffer {
  return Buffer.from(`-${oneLine(text)}\r\n`);
}

const oneLine = (text: string) => text.replace(/[\r\n]+/g, " ");

/** Returns the text of an error reply, or undefined for any other reply. */
export function errorText(reply: Buffer): string | undefined {
  return reply[0] === MINUS ? reply.toString("utf8", 1, reply.length - 2) : undefined;
}

/**
 * Splits the array reply of a batch into the replies of its commands, as Redis wrote them.
 * @throws MalformedReply unless it is an array of `count` complete replies and nothing else.
 */
export function splitReplies(body: Buffer, count: number): Buffer[] {
  const header = `*${count}\r\n`;
  if (body.toString("latin1", 0, header.length) !== header) {
    throw new MalformedReply(`not an array of ${count} replies`);
  }
  const reader = new Resp2Reader(body);
  reader.at = header.length;
  const replies: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const start = reader.at;
    reader.read(0);
    replies.push(body.subarray(start, reader.at));
  }
  if (reader.at !== body.length) throw new MalformedReply("bytes after the reply");
  return replies;
}
