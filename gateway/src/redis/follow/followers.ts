import { commandOf } from "../../resp/args.js";
import { isError } from "../../resp/replies.js";
import { type Receiver, UpstreamFailure } from "../failure.js";
import type { Cancel, Upstream } from "../upstream.js";
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
  /** Entries as {@link FollowersOptions.encode} made them. */
  onMessage(encoded: Buffer): void;
  /** Called with an error text: of Redis, or `GAP ...`. No further call follows. */
  onRefusal(error: string): void;
  /** Called when the stream can't be read, or no longer. No further call follows. */
  onFailure(failure: UpstreamFailure): void;
}

/** Options of {@link Followers}. */
export interface FollowersOptions {
  readonly upstream: Upstream;
  /** Encodes entries for listeners. */
  readonly encode: (entries: readonly StreamEntry[]) => Buffer;
  /** Maximum number of streams that wait at Redis for an entry, each on a connection. The others are read at intervals. */
  readonly maxWaiting: number;
  /** Bytes that a reader may be behind before no more is read for it. */
  readonly maxBacklog: number;
}

interface Follower {
  readonly listener: FollowListener;
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
  /** Ends the wait for an entry. */
  wake: Cancel;
}

/**
 * Reads the entries of streams for any number of followers, as one user of Redis. Each follower first reads what it has missed.
 * Followers at the end of a stream share one connection, which waits for the next entry.
 */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #followers = new Set<Follower>();
  readonly #tails = new Map<string, Tail>();
  #waiting = 0;
  #closed = false;

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** Whether nothing is followed. */
  get isUnused(): boolean {
    return this.#followers.size === 0;
  }

  /**
   * Follows a stream. The listener is never called before this returns.
   * @param key byte by byte as text (Latin-1)
   */
  add(key: string, position: Position, listener: FollowListener): Cancel {
    const follower: Follower = { listener, key, position, started: false, cancelled: false };
    this.#followers.add(follower);
    if (this.#closed) setImmediate(() => this.#fail(follower, closing()));
    else setImmediate(() => void this.#catchUp(follower));
    return () => this.#remove(follower);
  }

  /** Ends every follower. */
  close(): void {
    this.#closed = true;
    for (const follower of [...this.#followers]) this.#fail(follower, closing());
  }

  /** Reads for one follower until it is at the end of the stream. */
  async #catchUp(follower: Follower): Promise<void> {
    const { listener, key } = follower;
    for (let failures = 0; !follower.cancelled; ) {
      while (listener.backlog > this.#options.maxBacklog) {
        await pause(DRAIN_CHECK);
        if (follower.cancelled) return;
      }
      let page: StreamPage | StreamError;
      try {
        page = await this.#read(key, follower.position);
        failures = 0;
      } catch (error) {
        const isFinal = !follower.started || isTooLarge(error);
        if (isFinal) return this.#fail(follower, error as UpstreamFailure);
        await pause(backoff(failures++));
        continue;
      }
      if (follower.cancelled) return;
      if ("error" in page) return this.#refuse(follower, page.error);
      if (!follower.started) {
        follower.started = true;
        follower.position = page.from;
        listener.onStart(page.from.id);
      }
      this.#deliver(follower, page);
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
      const created: Tail = { key, members: new Set([follower]), position, wake: () => {} };
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
        if (tail.members.size === 0) break;
        const page = await this.#read(tail.key, tail.position);
        if ("error" in page) {
          for (const follower of [...tail.members]) this.#refuse(follower, page.error);
          break;
        }
        failures = 0;
        poll = page.entries.length > 0 ? MIN_POLL : Math.min(poll * 1.5, MAX_POLL);
        isLast = page.isLast;
        this.#share(tail, page);
      } catch (error) {
        if (isTooLarge(error)) {
          for (const follower of [...tail.members]) this.#fail(follower, error as UpstreamFailure);
          break;
        }
        await new Promise<void>((resolve) => {
          tail.wake = resolve;
          setTimeout(resolve, backoff(failures++)).unref();
        });
      }
    }
    if (this.#tails.get(tail.key) === tail) this.#tails.delete(tail.key);
  }

  /** Delivers a page to every follower of a tail. One that is behind catches up by itself. */
  #share(tail: Tail, page: StreamPage): void {
    tail.position = page.to;
    if (page.entries.length === 0) return;
    const encoded = this.#options.encode(page.entries);
    for (const follower of [...tail.members]) {
      this.#deliver(follower, page, encoded);
      if (follower.listener.backlog <= this.#options.maxBacklog) continue;
      tail.members.delete(follower);
      void this.#catchUp(follower);
    }
  }

  /** @param encoded all entries of the page, where that is known */
  #deliver(follower: Follower, { entries, from, to }: StreamPage, encoded?: Buffer): void {
    const { listener, position } = follower;
    const isSame = position.id === from.id || compareIds(position.id, from.id) <= 0;
    const after = isSame ? entries : entries.filter(({ id }) => compareIds(id, position.id) > 0);
    if (after.length > 0) listener.onMessage(isSame && encoded ? encoded : this.#options.encode(after));
    if (isSame || compareIds(to.id, position.id) > 0) follower.position = to;
  }

  /** Resolves when there may be an entry after the tail's position. */
  #nextEntry(tail: Tail, poll: number): Promise<void> {
    const { upstream, maxWaiting } = this.#options;
    return new Promise((resolve) => {
      const later = (ms: number) => {
        const timer = setTimeout(resolve, ms).unref();
        tail.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      };
      if (this.#waiting >= maxWaiting) {
        later(poll);
        return;
      }
      this.#waiting++;
      let cancelled = false;
      let open = true;
      const end = () => {
        if (open) this.#waiting--;
        open = false;
      };
      const { key, position } = tail;
      const read = commandOf(["XREAD", "COUNT", "1", "BLOCK", String(BLOCK), "STREAMS", key, position.id]);
      const receiver: Receiver = {
        get cancelled() {
          return cancelled;
        },
        onReply: (reply) => {
          end();
          if (isError(reply)) later(poll);
          else resolve();
        },
        onFailure: () => {
          end();
          if (!cancelled) later(poll);
        },
      };
      // Without a connection by then, it is read at intervals.
      const deadline = performance.now() + MAX_POLL;
      const cancel = upstream.sendAlone([read], [BLOCK], receiver, deadline);
      tail.wake = () => {
        cancelled = true;
        cancel();
        end();
        resolve();
      };
    });
  }

  /** Reads a page. Pages of large entries have fewer. Rejects with an UpstreamFailure. */
  async #read(key: string, position: Position): Promise<StreamPage | StreamError> {
    for (let count = PAGE; ; count = Math.ceil(count / 10)) {
      try {
        return await this.#readPage(key, position, count);
      } catch (error) {
        if (count === 1 || !isTooLarge(error)) throw error;
      }
    }
  }

  #readPage(key: string, position: Position, count: number): Promise<StreamPage | StreamError> {
    return new Promise((resolve, reject) => {
      this.#options.upstream.transaction(pageCommands(key, position, count), {
        cancelled: false,
        onExec: (reply, refused) => {
          const [first] = refused.values();
          const page = readPage(first ?? reply, position, count);
          if ("error" in page && PASSING.test(page.error))
            reject(new UpstreamFailure("unreachable", page.error));
          else resolve(page);
        },
        onFailure: reject,
      });
    });
  }

  #refuse(follower: Follower, error: string): void {
    if (!this.#remove(follower)) return;
    follower.listener.onRefusal(error);
  }

  #fail(follower: Follower, failure: UpstreamFailure): void {
    if (!this.#remove(follower)) return;
    follower.listener.onFailure(failure);
  }

  /** Returns whether it was there. */
  #remove(follower: Follower): boolean {
    if (!this.#followers.delete(follower)) return false;
    follower.cancelled = true;
    const tail = this.#tails.get(follower.key);
    if (tail?.members.delete(follower) && tail.members.size === 0) {
      this.#tails.delete(tail.key);
      tail.wake();
    }
    return true;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.reason === "too-large";
}

function backoff(failures: number): number {
  return Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** failures) * (0.5 + Math.random() / 2);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function closing(): UpstreamFailure {
  return new UpstreamFailure("closing", "the gateway is closing");
}
