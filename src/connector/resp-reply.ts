import { MalformedReply, nextDepth } from "../protocol/malformed.js";

const CR = 13;
const LF = 10;
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
  const replies: Buffer[] = [];
  let at = header.length;
  for (let i = 0; i < count; i++) {
    const end = endOfReply(body, at, 0);
    replies.push(body.subarray(at, end));
    at = end;
  }
  if (at !== body.length) throw new MalformedReply("bytes after the reply");
  return replies;
}

/** @throws MalformedReply unless the body is exactly one reply. */
export function checkReply(body: Buffer): void {
  if (endOfReply(body, 0, 0) !== body.length) throw new MalformedReply("bytes after the reply");
}

/** Returns the end of the reply that begins at `at`. @throws MalformedReply if it is cut off or not RESP2. */
function endOfReply(body: Buffer, at: number, depth: number): number {
  const end = body.indexOf(CR, at);
  if (end === -1 || body[end + 1] !== LF) throw new MalformedReply("a line is cut off");
  const next = end + 2;
  switch (body[at]) {
    case 0x2b: // + simple string
    case MINUS:
    case 0x3a: // : integer
      return next;
    case 0x24: {
      // $ bulk string
      const length = lengthIn(body, at, end);
      if (length === -1) return next;
      const after = next + length;
      if (body[after] !== CR || body[after + 1] !== LF) throw new MalformedReply("a bulk string is cut off");
      return after + 2;
    }
    case 0x2a: {
      // * array
      const length = lengthIn(body, at, end);
      const inside = nextDepth(depth);
      let last = next;
      for (let i = 0; i < length; i++) last = endOfReply(body, last, inside);
      return last;
    }
    default:
      throw new MalformedReply("not a RESP2 reply");
  }
}

function lengthIn(body: Buffer, at: number, end: number): number {
  const digits = body.toString("latin1", at + 1, end);
  if (!/^(-1|\d{1,10})$/.test(digits)) throw new MalformedReply("a length is malformed");
  return Number(digits);
}
