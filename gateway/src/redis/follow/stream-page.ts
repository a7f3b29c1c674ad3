import { commandOf } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { decode, elementsOf, isError, lineOf } from "../../resp/replies.js";
import { EMPTY } from "../../util/bytes.js";

export interface StreamEntry {
  readonly id: string;
  /** Fields and values in turn, as the array of Redis: there may be too many to make an object of each. */
  readonly fields: Buffer;
}

/** A place in a stream, after an entry. */
export interface Position {
  /** The id of the entry. `-`: before the first entry that there is; `$`: after the last one. */
  readonly id: string;
  /** Number of entries ever added up to this one; null if it is not known. */
  readonly added: number | null;
}

/** The entries after a position. */
export interface StreamPage {
  readonly entries: readonly StreamEntry[];
  /** The position before the first entry. */
  readonly from: Position;
  /** The position after the last entry. */
  readonly to: Position;
  /** Whether the stream has no further entries. */
  readonly isLast: boolean;
}

/** The error text of a read. */
export interface StreamError {
  readonly error: string;
}

/** An id, of milliseconds and usually a sequence number, or one of the two special positions. */
const ID = /^(-|\$|\d{1,20}(-\d{1,20})?)$/;
const START = "0-0";

/** Returns the position that a text names, or null if the text is not a position. */
export function parsePosition(text: string): Position | null {
  if (!ID.test(text)) return null;
  const id = /^\d+$/.test(text) ? `${text}-0` : text;
  return { id, added: id === START ? 0 : null };
}

/** Compares ids: negative if `a` is before `b`. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0n, aSeq = 0n] = a.split("-").map(BigInt);
  const [bMs = 0n, bSeq = 0n] = b.split("-").map(BigInt);
  return Number(aMs === bMs ? aSeq - bSeq : aMs - bMs);
}

/** The commands that read a page: to be run in one transaction, so that they see the same stream. */
export function pageCommands(key: string, { id }: Position, count: number): readonly Command[] {
  const [start, most] = id === "-" ? ["-", count] : id === "$" ? ["+", 1] : [`(${id}`, count];
  return [commandOf(["XINFO", "STREAM", key]), commandOf(["XRANGE", key, start, "+", "COUNT", String(most)])];
}

/** Reads the reply of EXEC to {@link pageCommands}. */
export function readPage(reply: Buffer, position: Position, count: number): StreamPage | StreamError {
  if (isError(reply)) return { error: lineOf(reply) };
  const [about, range] = elementsOf(reply) as [Buffer, Buffer];
  const info = isError(about) ? null : infoOf(about);
  if (!info && !/no such key/i.test(lineOf(about))) return { error: lineOf(about) };
  if (isError(range)) return { error: lineOf(range) };
  if (position.id === "$") {
    const end = info ? { id: info.lastId, added: info.added } : { id: START, added: 0 };
    return { entries: [], from: end, to: end, isLast: true };
  }
  if (hasGap(position, info)) return { error: gapError(position, info) };
  const entries = elementsOf(range).map((entry): StreamEntry => {
    const [id, fields] = elementsOf(entry) as [Buffer, Buffer];
    return { id: decode(id) as string, fields };
  });
  const isLast = entries.length < count;
  const last = entries.at(-1)?.id ?? (position.id === "-" ? START : position.id);
  const to = { id: last, added: isLast ? (info ? info.added : 0) : null };
  return { entries, from: position, to, isLast };
}

type StreamInfo = ReturnType<typeof infoOf>;

/** Returns the facts of XINFO STREAM that tell whether entries are missing. */
function infoOf(reply: Buffer) {
  const elements = elementsOf(reply);
  const facts = new Map<unknown, Buffer>();
  for (let at = 0; at < elements.length; at += 2) facts.set(decode(elements[at]!), elements[at + 1]!);
  const added = facts.get("entries-added");
  const [firstId] = elementsOf(facts.get("first-entry") ?? EMPTY);
  return {
    length: Number(decode(facts.get("length")!)),
    lastId: String(decode(facts.get("last-generated-id")!)),
    /** Null if there are no entries. */
    firstId: firstId ? String(decode(firstId)) : null,
    /** Number of entries ever added; null before Redis 7. */
    added: added === undefined ? null : Number(decode(added)),
  };
}

/**
 * Whether entries after the position were trimmed or deleted from the beginning of the stream. That is assumed if the entry of the
 * position is gone too, and it is not known how many were added since.
 */
function hasGap({ id, added }: Position, info: StreamInfo | null): boolean {
  if (id === "-") return false;
  if (!info) return id !== START;
  const { firstId, lastId, length } = info;
  // The stream was deleted and begun again, with lower ids.
  if (compareIds(lastId, id) < 0) return true;
  if (firstId !== null && compareIds(firstId, id) <= 0) return false;
  // Every entry that is left comes after the position.
  if (added !== null && info.added !== null) return info.added - added !== length;
  return id !== START && compareIds(id, lastId) < 0;
}

function gapError({ id }: Position, info: StreamInfo | null): string {
  const now = info?.firstId ? `the stream begins at ${info.firstId}` : "the stream has no entries";
  return `GAP entries after ${id} were trimmed or deleted; ${now}`;
}
