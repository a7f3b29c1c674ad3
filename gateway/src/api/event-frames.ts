import { isUtf8 } from "node:buffer";
import { STREAM_SHARE } from "../http/connection.js";
import type { StreamEntry } from "../redis/follow/stream-page.js";
import type { EncodedFrame, Frame } from "../redis/frame.js";
import { contentsIn } from "../resp/replies.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { COMMA, CR, CRLF, EMPTY, LF } from "../util/bytes.js";
import type { SlicedWork } from "../util/sliced-work.js";
import { characterEnd, JsonEncoder } from "./json-encoder.js";

/** Messages up to this many bytes are encoded without a look at the budget. */
const SMALL_MESSAGE = 32 * 1_024;
/** Larger messages are encoded in slices, between other requests. So are entries that are not small: they may have many fields. */
const LARGE_MESSAGE = 256 * 1_024;
/** Bytes of a part that are encoded at a time: a multiple of three, so that base64 has no padding before its end. */
const SLICE = 3 * 16 * 1_024;
/** Larger payloads are never parsed: that can't be done in slices. */
const MAX_PARSED = 1_024 * 1_024;

const DATA = Buffer.from("data: ");
const EXACT = Buffer.from("exact: ");
const BETWEEN = Buffer.from(",");
const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");
const EMPTY_LIST = Buffer.from("[]");
const BREAK = Buffer.from("\n");
const END = Buffer.from("\n\n");

/** Says that messages may have been missed. Clients that read only lines that start with `data: ` ignore it. */
export const GAP = Buffer.from("event: gap\ndata:\n\n");
/** A comment, which shows both sides and every proxy between that the stream is alive. */
export const HEARTBEAT = Buffer.from(":\n\n");

/**
 * An event about the stream itself.
 *
 * - `stream`: the id of a stream whose channels can be changed; it begins with this event
 * - `error`: the error for which the stream can't go on; it ends with this event
 */
export function eventFrame(event: "stream" | "error", data: string): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${data}\n\n`);
}

/** The confirmation of a subscription: `data: subscribe,news,1`. */
export function confirmationFrame(kind: string, name: Buffer, count: number): Buffer {
  return Buffer.concat([DATA, Buffer.from(`${kind},`), ...linePieces(name), Buffer.from(`,${count}`), END]);
}

/**
 * Yields `data: message,channel,payload` or `data: pmessage,pattern,channel,payload` in pieces. No step takes more than a few
 * milliseconds; some yield no bytes.
 *
 * If that line can't hold the parts unchanged (a line break anywhere, a comma in a name, bytes that are not UTF-8), a field
 * `exact` precedes it. It holds the parts after the kind in base64, separated by commas. Readers that do not support the
 * field skip it. The line itself is then the closest form that it can hold:
 *
 * - line breaks in a JSON document and in names become spaces
 * - other text with line breaks, and that of more than 1 MB, becomes a JSON string, which the Upstash client converts back
 * - bytes that are not UTF-8 become U+FFFD
 */
export function* messagePieces(push: readonly Buffer[]): Generator<Buffer> {
  const last = push.length - 1;
  const [kind, ...rest] = push as [Buffer, ...Buffer[]];
  let fits = true;
  for (const [at, part] of rest.entries()) fits &&= yield* fitsLine(part, at < last - 1);
  if (fits) {
    yield DATA;
    yield kind;
    for (const part of rest) yield* [BETWEEN, part];
    yield END;
    return;
  }
  yield* exactPieces(rest);
  yield DATA;
  yield kind;
  for (const name of push.slice(1, last)) {
    yield BETWEEN;
    yield* linePieces(name);
  }
  yield BETWEEN;
  const payload = push[last]!;
  if (hasBreak(payload) && !isJson(payload)) yield* jsonStringPieces(payload);
  else yield* linePieces(payload);
  yield END;
}

/** A field `exact` with parts in base64. */
function* exactPieces(parts: Iterable<Buffer>): Generator<Buffer> {
  let before = EXACT;
  for (const part of parts) {
    yield before;
    before = BETWEEN;
    for (let from = 0; from < part.length; from += SLICE)
      yield Buffer.from(part.toString("base64", from, Math.min(from + SLICE, part.length)), "latin1");
  }
  yield BREAK;
}

/** Text with spaces in place of line breaks. */
function* linePieces(text: Buffer): Generator<Buffer> {
  for (const slice of slicesOf(text)) yield Buffer.from(slice.toString().replace(/[\r\n]/g, " "));
}

function* jsonStringPieces(text: Buffer): Generator<Buffer> {
  const encoder = new JsonEncoder(false, "value");
  encoder.write(Buffer.from(`$${text.length}\r\n`));
  for (const slice of slicesOf(text)) {
    encoder.write(slice);
    yield encoder.take();
  }
  encoder.write(CRLF);
  yield encoder.take();
}

/** Yields text in slices, none of which ends inside a character. */
function* slicesOf(text: Buffer): Generator<Buffer> {
  for (let from = 0; from < text.length; ) {
    const slice = text.subarray(from, from + SLICE);
    const end = from + slice.length < text.length ? characterEnd(slice) : slice.length;
    yield slice.subarray(0, end);
    from += end;
  }
}

/** Encodes messages and entries of streams within the budget, large ones in slices between other requests. */
export class FrameEncoder {
  constructor(
    private readonly budget: BufferBudget,
    private readonly work: SlicedWork,
  ) {}

  /** Encodes a message: see {@link messagePieces}. */
  message(push: readonly Buffer[]): EncodedFrame | Promise<EncodedFrame> {
    return this.#encode(sizeOf(push), messagePieces(push), LARGE_MESSAGE);
  }

  /**
   * Encodes entries: the id of each, and its fields and values in turn as a JSON array. If they are not all UTF-8, a field
   * `exact` precedes them, as in {@link messagePieces}.
   */
  entries(entries: readonly StreamEntry[]): EncodedFrame | Promise<EncodedFrame> {
    return this.#encode(sizeOf(entries.map(({ fields }) => fields)), entryPieces(entries), SMALL_MESSAGE);
  }

  /** @param whole maximum size that is encoded at once, without slices */
  #encode(size: number, pieces: Iterable<Buffer>, whole: number): EncodedFrame | Promise<EncodedFrame> {
    if (size <= SMALL_MESSAGE) return [Buffer.concat([...pieces])];
    const steps = this.#collect(size, pieces);
    if (size > whole) return this.work.run(steps);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /** Counts the message and its frame in the budget until the frame is complete. */
  *#collect(size: number, pieces: Iterable<Buffer>): Generator<undefined, EncodedFrame> {
    const budget = this.budget;
    const frame: Buffer[] = [];
    /** Short pieces until they are joined: an object for each would take more memory than its bytes. */
    let short: Buffer[] = [];
    let shortSize = 0;
    const join = () => {
      // The bytes of a large piece are not copied.
      if (short.length > 0) frame.push(short.length === 1 ? short[0]! : Buffer.concat(short));
      short = [];
      shortSize = 0;
    };
    let length = 0;
    let taken = 0;
    try {
      if (!budget.take(size)) return size > budget.limit * STREAM_SHARE ? "too-large" : null;
      taken = size;
      for (const piece of pieces) {
        length += piece.length;
        if (length > budget.limit * STREAM_SHARE) return "too-large";
        if (!budget.take(piece.length)) return null;
        taken += piece.length;
        if (piece.length > 0) {
          if (shortSize + piece.length > SLICE) join();
          short.push(piece);
          shortSize += piece.length;
        }
        yield;
      }
      join();
      return frame;
    } finally {
      budget.give(taken);
    }
  }
}

export function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** The event with which a followed stream begins. It contains the id of the entry before the first one. */
export function followFrame(id: string): Buffer {
  return Buffer.from(`event: follow\nid: ${id}\ndata: ${id}\n\n`);
}

function* entryPieces(entries: readonly StreamEntry[]): Generator<Buffer> {
  for (const { id, fields } of entries) {
    let exact = false;
    for (const field of contentsIn(fields)) {
      exact ||= !(yield* isText(field));
      yield EMPTY;
    }
    yield Buffer.from(`id: ${id}\n`);
    if (exact) yield* exactPieces(contentsIn(fields));
    yield DATA;
    let before = OPEN;
    for (const field of contentsIn(fields)) {
      yield before;
      before = BETWEEN;
      yield* jsonStringPieces(field);
    }
    yield before === OPEN ? EMPTY_LIST : CLOSE;
    yield END;
  }
}

/** A line without line breaks, such as one of MONITOR. The bytes of a large one are not copied. */
export function lineFrame(line: Buffer): Frame {
  const pieces = [DATA, line, END];
  return line.length <= SMALL_MESSAGE ? [Buffer.concat(pieces)] : pieces;
}

/** Whether a line can hold a part unchanged. */
function* fitsLine(part: Buffer, isName: boolean): Generator<Buffer, boolean> {
  if (hasBreak(part) || (isName && part.includes(COMMA))) return false;
  return yield* isText(part);
}

/** Whether bytes are UTF-8. */
function* isText(bytes: Buffer): Generator<Buffer, boolean> {
  for (const slice of slicesOf(bytes)) {
    if (!isUtf8(slice)) return false;
    if (slice.length < bytes.length) yield EMPTY;
  }
  return true;
}

function hasBreak(bytes: Buffer): boolean {
  return bytes.includes(LF) || bytes.includes(CR);
}

function isJson(payload: Buffer): boolean {
  if (payload.length > MAX_PARSED) return false;
  try {
    JSON.parse(payload.toString());
    return true;
  } catch {
    return false;
  }
}
