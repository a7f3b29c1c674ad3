import { isUtf8 } from "node:buffer";
import type { StreamEntry } from "../redis/follow/stream-page.js";
import { COMMA, CR, LF } from "../util/bytes.js";

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
  if (rest.every((kind, at) => fits(kind, at + 1 < last))) {
    return Buffer.concat([DATA, ...push.flatMap((kind) => [kind, BETWEEN]).slice(0, -1), END]);
  }
  const exact = `exact: ${rest.map((kind) => kind.toString("base64")).join()}\n`;
  const names = push.slice(1, last).flatMap((kind) => [oneLine(kind), BETWEEN]);
  const payload = legible(push[last]!);
  return Buffer.concat([Buffer.from(exact), DATA, kind, BETWEEN, ...names, payload, END]);
}

/** The event that a followed stream begins with: the id of the entry before the first one. */
export function followFrame(id: string): Buffer {
  return Buffer.from(`event: follow\nid: ${id}\ndata: ${id}\n\n`);
}

/**
 * The entries of a stream: of each its id, and its fields and values in turn as a JSON array. If they are not all UTF-8, a field
 * `exact` precedes them, as in {@link messageFrame}.
 */
export function entryFrames(entries: readonly StreamEntry[]): Buffer {
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

/** A line of MONITOR, which has no line breaks. */
export function lineFrame(line: string): Buffer {
  return Buffer.from(`data: ${line}\n\n`);
}

function fits(kind: Buffer, isName: boolean): boolean {
  return !hasBreak(kind) && !(isName && kind.includes(COMMA)) && isUtf8(kind);
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
