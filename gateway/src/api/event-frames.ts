import { isUtf8 } from "node:buffer";
import type { StreamEntry } from "../redis/follow/stream-page.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { COMMA, CR, LF } from "../util/bytes.js";

/** Messages up to this many bytes are encoded without a look at the budget. */
const SMALL_MESSAGE = 32 * 1_024;
/**
 * Memory for encoding, as a multiple of a message: the message and its frame; entries, as text, JSON and frame; or base64, text,
 * JSON and their copies.
 */
const COPIES = 2;
const COPIES_OF_ENTRIES = 4;
const COPIES_IF_ESCAPED = 8;

const DATA = Buffer.from("data: ");
const BETWEEN = Buffer.from(",");
const END = Buffer.from("\n\n");

/** Says that messages may have been missed. Whoever reads nothing but lines that start with `data: ` never sees it. */
export const GAP = Buffer.from("event: gap\ndata:\n\n");
/** A comment, so that neither side nor anything between takes the stream for dead. */
export const HEARTBEAT = Buffer.from(":\n\n");

/** The event that a stream begins with whose channels can be changed. */
export function streamFrame(id: string): Buffer {
  return Buffer.from(`event: stream\ndata: ${id}\n\n`);
}

/** The event that `/console/commands` begins with if other processes behind the port have commands of their own. */
export function workersFrame(count: number): Buffer {
  return Buffer.from(`event: workers\ndata: ${count}\n\n`);
}

/** `data: subscribe,news,1` */
export function confirmationFrame(kind: string, name: Buffer, count: number): Buffer {
  return Buffer.concat([DATA, Buffer.from(`${kind},`), oneLine(name), Buffer.from(`,${count}`), END]);
}

/**
 * `data: message,channel,payload` or `data: pmessage,pattern,channel,payload`.
 *
 * If that line can't hold the parts unchanged (a line break anywhere, a comma in a name, bytes that are not UTF-8), a field
 * `exact` precedes it. It holds the parts after the kind in base64, separated by commas. Readers that do not support the
 * field skip it. The line itself is then the closest form that it can hold:
 *
 * - line breaks in a JSON document and in names become spaces
 * - other text with line breaks becomes a JSON string, which the Upstash client converts back
 * - bytes that are not UTF-8 become U+FFFD
 */
export function messageFrame(push: readonly Buffer[]): Buffer {
  const last = push.length - 1;
  const [kind, ...rest] = push as [Buffer, ...Buffer[]];
  if (fitsLine(push)) {
    return Buffer.concat([DATA, ...push.flatMap((kind) => [kind, BETWEEN]).slice(0, -1), END]);
  }
  const exact = `exact: ${rest.map((kind) => kind.toString("base64")).join()}\n`;
  const names = push.slice(1, last).flatMap((kind) => [oneLine(kind), BETWEEN]);
  const payload = legible(push[last]!);
  return Buffer.concat([Buffer.from(exact), DATA, kind, BETWEEN, ...names, payload, END]);
}

/** Returns {@link messageFrame}, or null if the budget has no room for encoding the message. */
export function messageFrameWithin(budget: BufferBudget, push: readonly Buffer[]): Buffer | null {
  const copies = () => (fitsLine(push) ? COPIES : COPIES_IF_ESCAPED);
  return encodeWithin(budget, sizeOf(push), copies, () => messageFrame(push));
}

/** Returns the result of `encode`; null if the budget has no room for so many copies of a message of this size. */
function encodeWithin(
  budget: BufferBudget,
  size: number,
  copies: () => number,
  encode: () => Buffer,
): Buffer | null {
  if (size <= SMALL_MESSAGE) return encode();
  const memory = size * copies();
  if (!budget.take(memory)) return null;
  try {
    return encode();
  } finally {
    budget.give(memory);
  }
}

function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** The event that a followed stream begins with: the id of the entry before the first one. */
export function followFrame(id: string): Buffer {
  return Buffer.from(`event: follow\nid: ${id}\ndata: ${id}\n\n`);
}

/**
 * The entries of a stream: of each its id, and its fields and values in turn as a JSON array. If they are not all UTF-8, a field
 * `exact` precedes them, as in {@link messageFrame}.
 */
function entryFrames(entries: readonly StreamEntry[]): Buffer {
  return Buffer.from(
    entries
      .map(({ id, fields }) => {
        const exact = fields.every((field) => isUtf8(field))
          ? ""
          : `exact: ${fields.map((field) => field.toString("base64")).join()}\n`;
        return `id: ${id}\n${exact}data: ${JSON.stringify(fields.map(String))}\n\n`;
      })
      .join(""),
  );
}

/** Returns {@link entryFrames}, or null if the budget has no room for encoding the entries. */
export function entryFramesWithin(budget: BufferBudget, entries: readonly StreamEntry[]): Buffer | null {
  const size = entries.reduce((sum, { fields }) => sum + sizeOf(fields), 0);
  const copies = () =>
    entries.every(({ fields }) => fields.every((field) => isUtf8(field)))
      ? COPIES_OF_ENTRIES
      : COPIES_IF_ESCAPED;
  return encodeWithin(budget, size, copies, () => entryFrames(entries));
}

/** A line of MONITOR, which has no line breaks. */
export function lineFrame(line: string): Buffer {
  return Buffer.from(`data: ${line}\n\n`);
}

/** Whether a line can hold the parts after the kind unchanged. */
function fitsLine(push: readonly Buffer[]): boolean {
  const last = push.length - 1;
  return push.every((part, at) => at === 0 || fits(part, at < last));
}

function fits(part: Buffer, isName: boolean): boolean {
  return !hasBreak(part) && !(isName && part.includes(COMMA)) && isUtf8(part);
}

function hasBreak(kind: Buffer): boolean {
  return kind.includes(LF) || kind.includes(CR);
}

function oneLine(name: Buffer): Buffer {
  return Buffer.from(name.toString().replace(/[\r\n]/g, " "));
}

function legible(payload: Buffer): Buffer {
  const text = payload.toString();
  return Buffer.from(hasBreak(payload) ? withoutBreaks(text) : text);
}

function withoutBreaks(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  return text.replace(/[\r\n]/g, " ");
}
