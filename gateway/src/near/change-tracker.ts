import type { Log } from "../log/log.js";
import { type TrackedUpstream, TrackingSession } from "./tracking-session.js";

/** Interval in ms of PING on the tracking connections, while clients use near caches. */
const CONFIRM_INTERVAL = 1_000;
/** Time in ms after the last request of a near cache for which PING is sent. */
const USED_FOR = 30_000;
const INITIAL_BACKOFF = 50;
const MAX_BACKOFF = 5_000;
/** Time in ms until the next try after a server has refused to track changes. */
const REFUSED_DELAY = 60_000;

/** Tracks the changes of keys at Redis for near caches, one session after another. */
export class ChangeTracker {
  #session: TrackingSession | null = null;
  #failures = 0;
  #isRefused = false;
  #usedAt = Number.NEGATIVE_INFINITY;
  #retry: NodeJS.Timeout | undefined;
  #interval: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param prefixes the prefixes of the keys to track. An empty one stands for all keys */
  constructor(
    private readonly upstream: TrackedUpstream,
    private readonly prefixes: readonly string[],
    private readonly log: Log,
  ) {}

  open(): void {
    if (this.#closed) return;
    const session = new TrackingSession(this.upstream, this.prefixes, (reason, refused) => {
      this.#session = null;
      this.#failed(reason, refused);
    });
    this.#session = session;
    void session.start().then(() => {
      if (session.isReady) this.#failures = 0;
    });
  }

  /** Returns the current session for a request, or null unless every server reports its changes. */
  use(): TrackingSession | null {
    this.#usedAt = performance.now();
    const session = this.#session?.isReady ? this.#session : null;
    if (session && !this.#interval) {
      this.#interval = setInterval(() => this.#confirm(), CONFIRM_INTERVAL).unref();
      this.#confirm();
    }
    return session;
  }

  /** Tracks no changes until {@link open}. */
  rest(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#interval);
    this.#interval = undefined;
    this.#session?.close();
    this.#session = null;
  }

  close(): void {
    this.#closed = true;
    this.rest();
  }

  #confirm(): void {
    if (performance.now() - this.#usedAt < USED_FOR) {
      // While a session begins, a PING would go ahead of its first commands.
      if (this.#session?.isReady) void this.#session.confirm();
    } else {
      clearInterval(this.#interval);
      this.#interval = undefined;
    }
  }

  #failed(reason: string, refused: boolean): void {
    if (this.#closed) return;
    if (refused && !this.#isRefused) {
      this.#isRefused = true;
      this.log.warn(`changes of keys can't be tracked, so near caches go by time alone: ${reason}`);
    } else this.log.debug(`changes of keys are not tracked: ${reason}`);
    const backoff = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** this.#failures++);
    this.#retry = setTimeout(() => this.open(), refused ? REFUSED_DELAY : backoff).unref();
  }
}
