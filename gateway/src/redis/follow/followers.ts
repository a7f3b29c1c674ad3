import { setTimeout as sleep } from "node:timers/promises";
import { commandOf } from "../../resp/args.js";
import type { Command } from "../../resp/command.js";
import { isError } from "../../resp/replies.js";
import { CLOSING, type Receiver, UpstreamFailure } from "../failure.js";
import type { EncodedFrame, Frame, PendingFrame } from "../frame.js";
import type { Cancel, TransactionReceiver, Upstream } from "../upstream.js";
import {
  compareIds,
  type Position,
  pageCommands,
  readPage,
  type StreamEntry,
  type StreamError,
  type StreamPage,
} from "./stream-page.js";

/** Maximum number of entries that are read at once. */
const PAGE = 100;
/** Time in ms that a read waits at Redis for an entry. */
const BLOCK = 20_000;
/** Pauses in ms between reads of a stream that does not wait at Redis. */
const MIN_POLL = 50;
const MAX_POLL = 1_000;
/** Pauses in ms after a failure. */
const INITIAL_BACKOFF = 50;
const MAX_BACKOFF = 2_000;
/** Errors that Redis gives while it starts, fails over or moves a slot. */
const PASSING = /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|MOVED|ASK) /;
/** Interval in ms of the check whether a slow reader has caught up. */
const DRAIN_CHECK = 10;

/** A reader of a stream's entries. */
export interface FollowListener {
  /** Bytes that the reader has not taken. */
  readonly backlog: number;
  /** Called before the first entries, with the id of the entry before them. */
  onStart(id: string): void;
  /** Called with encoded entries. Returns false if there is no memory to send them: then it is called with them again. */
  onMessage(encoded: Frame): boolean;
  /** Called with the error text of Redis, `GAP ...`, or the failure when the stream can't be read. No further call follows. */
  onEnd(problem: string | UpstreamFailure): void;
}

/** The share of a follower's token in the connections to Redis. */
export interface FollowerShare {
  /** Counts a wait for an entry, until {@link leaveWait}. Returns false if the token may have no more waits. */
  enterWait(): boolean;
  leaveWait(): void;
  /** Calls `run` when it is the read's turn, and then expects {@link leaveTransaction}; or calls `onMissed`. */
  enterTransaction(read: { readonly cancelled: boolean; run(): void; onMissed(): void }): void;
  leaveTransaction(): void;
}

export interface FollowersOptions {
  /** Returns the upstream of the next read. */
  readonly upstream: () => Upstream;
  /** Encodes entries for listeners. Entries that do not fit in memory are read again, fewer at a time. */
  readonly encode: (entries: readonly StreamEntry[]) => PendingFrame;
  /** The limit of the memory for buffers, in bytes. */
  readonly maxBufferedBytes: number;
  /** Maximum number of streams that wait at Redis for an entry, each on a connection. The others are read at intervals. */
  readonly maxWaiting: number;
  /** Bytes that a reader may be behind before no more is read for it. */
  readonly maxBacklog: number;
}

interface Follower {
  readonly listener: FollowListener;
  readonly share: FollowerShare;
  readonly key: string;
  position: Position;
  started: boolean;
  cancelled: boolean;
}

/** The end of a stream, which followers that have caught up share. */
interface Tail {
  readonly key: string;
  readonly members: Set<Follower>;
  position: Position;
  /** The follower whose share counts the wait for an entry. Null while there is none. */
  payer: Follower | null;
  /** Ends the wait for an entry. */
  wake: Cancel;
}

/**
 * Reads the entries of streams for any number of followers, as one user of Redis. Each follower first reads what it has missed.
 * Followers at the end of a stream share one connection, which waits for the next entry.
 */
export class Followers {
  readonly #followers = new Set<Follower>();
  readonly #tails = new Map<string, Tail>();
  #waiting = 0;
  #closed = false;

  constructor(private readonly options: FollowersOptions) {}

  get isUnused(): boolean {
    return this.#followers.size === 0;
  }

  /**
   * Follows a stream. The listener is never called before this returns.
   * @param key as Latin-1 text (one character per byte)
   */
  add(key: string, position: Position, share: FollowerShare, listener: FollowListener): Cancel {
    const follower: Follower = { listener, share, key, position, started: false, cancelled: false };
    this.#followers.add(follower);
    if (this.#closed) setImmediate(() => this.#end(follower, CLOSING));
    else setImmediate(() => void this.#catchUp(follower));
    return () => this.#remove(follower);
  }

  close(): void {
    this.#closed = true;
    for (const follower of [...this.#followers]) this.#end(follower, CLOSING);
  }

  /** Reads for one follower until it is at the end of the stream. */
  async #catchUp(follower: Follower): Promise<void> {
    const { listener, key } = follower;
    let size = PAGE;
    for (let failures = 0; !follower.cancelled; ) {
      while (listener.backlog > this.options.maxBacklog) {
        await pause(DRAIN_CHECK);
        if (follower.cancelled) return;
      }
      let page: StreamPage | StreamError;
      try {
        page = await this.#read(key, follower.position, follower.share, size);
      } catch (error) {
        if (!follower.started) return this.#end(follower, error as UpstreamFailure);
        await pause(backoff(failures++));
        continue;
      }
      if (follower.cancelled) return;
      if ("error" in page) return this.#end(follower, page.error);
      const encoded = await this.options.encode(page.entries);
      if (follower.cancelled) return;
      if (encoded === "too-large" && page.entries.length === 1)
        return this.#end(follower, this.#tooLarge(page.from));
      if (!follower.started) {
        follower.started = true;
        follower.position = page.from;
        listener.onStart(page.from.id);
      }
      if (!(await this.#deliver(follower, page, encoded))) {
        size = fewer(size);
        await pause(backoff(failures++));
        continue;
      }
      size = PAGE;
      failures = 0;
      if (page.isLast && this.#join(follower)) return;
    }
  }

  /** Lets a follower share the end of its stream. Returns false if that has advanced beyond the follower. */
  #join(follower: Follower): boolean {
    const { key, position } = follower;
    const tail = this.#tails.get(key);
    if (tail) {
      if (compareIds(position.id, tail.position.id) < 0) return false;
      tail.members.add(follower);
    } else {
      const members = new Set([follower]);
      const created: Tail = { key, members, position, payer: null, wake: () => {} };
      this.#tails.set(key, created);
      void this.#follow(created);
    }
    return true;
  }

  /** Reads the end of a stream as long as it has followers. */
  async #follow(tail: Tail): Promise<void> {
    let failures = 0;
    let isLast = true;
    let poll = MIN_POLL;
    while (tail.members.size > 0) {
      try {
        if (isLast) await this.#nextEntry(tail, poll);
        const [first] = tail.members;
        if (!first) break;
        const page = await this.#read(tail.key, tail.position, first.share);
        if ("error" in page) {
          for (const follower of [...tail.members]) this.#end(follower, page.error);
          break;
        }
        failures = 0;
        poll = page.entries.length > 0 ? MIN_POLL : Math.min(poll * 1.5, MAX_POLL);
        isLast = page.isLast;
        await this.#deliverToAll(tail, page);
      } catch {
        await pauseUntilWoken(tail, backoff(failures++));
      }
    }
    if (this.#tails.get(tail.key) === tail) this.#tails.delete(tail.key);
  }

  /** Delivers a page to every follower of a tail. A follower that is behind, or gets no memory, catches up by itself. */
  async #deliverToAll(tail: Tail, page: StreamPage): Promise<void> {
    tail.position = page.to;
    if (page.entries.length === 0) return;
    const encoded = await this.options.encode(page.entries);
    for (const follower of [...tail.members]) {
      const isDelivered = await this.#deliver(follower, page, encoded);
      if (isDelivered && follower.listener.backlog <= this.options.maxBacklog) continue;
      tail.members.delete(follower);
      void this.#catchUp(follower);
    }
  }

  /**
   * Resolves with false if there is no memory for the entries.
   * @param encoded the result of encoding all entries of the page
   */
  async #deliver(
    follower: Follower,
    { entries, from, to }: StreamPage,
    encoded: EncodedFrame,
  ): Promise<boolean> {
    const { listener, position } = follower;
    const needsAll = position.id === from.id || compareIds(position.id, from.id) <= 0;
    const after = needsAll ? entries : entries.filter(({ id }) => compareIds(id, position.id) > 0);
    if (after.length > 0) {
      const frame = needsAll ? encoded : await this.options.encode(after);
      if (follower.cancelled) return true;
      if (!frame || frame === "too-large" || !listener.onMessage(frame)) return false;
    }
    if (needsAll || compareIds(to.id, position.id) > 0) follower.position = to;
    return true;
  }

  /** Resolves when there may be an entry after the tail's position. */
  async #nextEntry(tail: Tail, poll: number): Promise<void> {
    const payer = this.#waiting < this.options.maxWaiting ? payerOf(tail) : null;
    if (!payer || !(await this.#waitAtRedis(tail, payer))) await pauseUntilWoken(tail, poll);
  }

  /** Waits at Redis for an entry, which counts in the payer's share. Resolves with whether the tail is to be read now. */
  #waitAtRedis(tail: Tail, payer: Follower): Promise<boolean> {
    this.#waiting++;
    tail.payer = payer;
    let cancelled = false;
    const wait = new Promise<boolean>((resolve) => {
      const { key, position } = tail;
      const read = commandOf(["XREAD", "COUNT", "1", "BLOCK", String(BLOCK), "STREAMS", key, position.id]);
      const receiver: Receiver = {
        get cancelled() {
          return cancelled;
        },
        onReply: (reply) => resolve(!isError(reply)),
        onFailure: () => resolve(cancelled),
      };
      // If no connection is free by then, the stream is read at intervals.
      const deadline = performance.now() + MAX_POLL;
      const cancel = this.options.upstream().sendAlone([read], [BLOCK], receiver, deadline);
      tail.wake = () => {
        cancelled = true;
        cancel();
        resolve(true);
      };
    });
    return wait.finally(() => {
      this.#waiting--;
      tail.payer = null;
      payer.share.leaveWait();
    });
  }

  /** Reads a page of at most `size` entries, or fewer that fit. Rejects with an UpstreamFailure. */
  async #read(
    key: string,
    position: Position,
    share: FollowerShare,
    size = PAGE,
  ): Promise<StreamPage | StreamError> {
    for (let count = size; ; count = fewer(count)) {
      try {
        const reply = await this.#readInTurn(pageCommands(key, position, count), share);
        const page = readPage(reply, position, count);
        if ("error" in page && PASSING.test(page.error)) throw new UpstreamFailure("unreachable", page.error);
        return page;
      } catch (error) {
        const reason = error instanceof UpstreamFailure ? error.reason : null;
        const isTooLarge = reason === "too-large" || reason === "over-budget";
        if (count === 1 && isTooLarge) return { error: this.#tooLarge(position, error as UpstreamFailure) };
        // A reply for which there is no room now may fit later, unlike a reply that is too large.
        if (count === 1 || !(isTooLarge || reason === "no-room")) throw error;
      }
    }
  }

  /** Runs commands as a transaction, which counts in the share. Resolves with the reply, or the error of the first one refused. */
  #readInTurn(commands: readonly Command[], share: FollowerShare): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const receiver: TransactionReceiver = {
        cancelled: false,
        onExec(reply, refused) {
          share.leaveTransaction();
          const [first] = refused.values();
          resolve(first ?? reply);
        },
        onFailure(failure) {
          share.leaveTransaction();
          reject(failure);
        },
      };
      share.enterTransaction({
        cancelled: false,
        run: () => this.options.upstream().transaction(commands, receiver),
        onMissed: () => reject(new UpstreamFailure("full", "other reads of this token took too long")),
      });
    });
  }

  /**
   * Returns the error text for an entry that can never be sent.
   * @param error the failure of a read of this entry alone. Absent if the entry was read, but its event is too large
   */
  #tooLarge({ id }: Position, error?: UpstreamFailure): string {
    const { maxBufferedBytes } = this.options;
    const limit = `maxBufferedBytes is ${maxBufferedBytes}`;
    const why = error
      ? `a read of it, with the first and the last entry of the stream, is too large: ${error.message}`
      : "its event is larger than half of the setting maxBufferedBytes";
    return `ERR the entry after ${id} can't be followed: ${why} (${limit}). Raise the setting, or read the entry with XRANGE`;
  }

  #end(follower: Follower, problem: string | UpstreamFailure): void {
    if (this.#remove(follower)) follower.listener.onEnd(problem);
  }

  /** Returns whether it was there. */
  #remove(follower: Follower): boolean {
    if (!this.#followers.delete(follower)) return false;
    follower.cancelled = true;
    const tail = this.#tails.get(follower.key);
    if (!tail?.members.delete(follower)) return true;
    if (tail.members.size === 0) this.#tails.delete(tail.key);
    // The wait counted in this follower's share. It begins anew in the share of another follower.
    if (tail.members.size === 0 || tail.payer === follower) tail.wake();
    return true;
  }
}

/** Counts a wait in the share of the first follower that has room. Returns null if none has. */
function payerOf({ members }: Tail): Follower | null {
  for (const member of members) if (member.share.enterWait()) return member;
  return null;
}

/** Returns the size of the next attempt to read a page that did not fit. */
function fewer(count: number): number {
  return Math.ceil(count / 10);
}

function backoff(failures: number): number {
  return Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** Resolves after a time in ms, or once the tail is woken. */
async function pauseUntilWoken(tail: Tail, ms: number): Promise<void> {
  const woken = new AbortController();
  tail.wake = () => woken.abort();
  await sleep(ms, undefined, { ref: false, signal: woken.signal }).catch(() => {});
}

const pause = (ms: number) => sleep(ms, undefined, { ref: false });
