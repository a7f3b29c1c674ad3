import { WarmlineError } from "../errors.js";

/** A place in a stream, after an entry. */
export interface Position {
  /** The id of the entry. `-`: before the first existing entry; `$`: after the last one. */
  readonly id: string;
  /** Number of entries ever added up to this one, if known. */
  readonly added?: number | undefined;
}

/** The id before the first entry that was ever added. After it, trimmed entries are a gap; after `-` they are not. */
export const START = "0-0";

/** The part of the reply of XINFO STREAM that shows whether entries are missing. */
type StreamInfo = ReturnType<typeof readStreamInfo>;

/** Reads the reply of XINFO STREAM. */
export function readStreamInfo(reply: readonly unknown[]) {
  const get = (name: string) => reply[reply.indexOf(name) + 1];
  const first = get("first-entry");
  return {
    length: Number(get("length")),
    lastId: String(get("last-generated-id")),
    /** Undefined if there are no entries. */
    firstId: Array.isArray(first) ? String(first[0]) : undefined,
    /** Number of entries ever added; undefined before Redis 7. */
    added: reply.includes("entries-added") ? Number(get("entries-added")) : undefined,
  };
}

/** Compares ids: negative if `a` is before `b`. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0n, aSeq = 0n] = a.split("-").map(BigInt);
  const [bMs = 0n, bSeq = 0n] = b.split("-").map(BigInt);
  return Number(aMs === bMs ? aSeq - bSeq : aMs - bMs);
}

/**
 * Whether entries after the position, which is not `$`, were trimmed or deleted from the beginning of the stream. Also true if the
 * entry of the position is gone, and the number of entries added since is not known. Without a stream, `info` is undefined.
 */
export function hasGap(position: Position, info: StreamInfo | undefined): boolean {
  const { id, added } = position;
  if (id === "-") return false;
  if (!info) return id !== START;
  const { firstId, lastId, length } = info;
  // The stream was deleted and created again, with lower ids.
  if (compareIds(lastId, id) < 0) return true;
  if (firstId !== undefined && compareIds(firstId, id) <= 0) return false;
  // Every remaining entry is after the position.
  if (added !== undefined && info.added !== undefined) return info.added - added !== length;
  return id !== START && compareIds(id, lastId) < 0;
}

/** Entries after the position of a follower were trimmed or deleted, so it would miss them. */
export class GapError extends WarmlineError {
  /** `GapError`. */
  override readonly name: string = "GapError";
  /** The id of the last entry that the follower has, or `0-0`. */
  readonly position: string;

  constructor(position: string, state: string) {
    super(`FOLLOW: entries after ${position} were trimmed or deleted; ${state}`, {
      outcome: "answered",
      command: "FOLLOW",
    });
    this.position = position;
  }
}
