import { systemClock } from "../util/clock.js";

/** Maximum time in ms until the next check if Redis is in use at a check. */
const MAX_CHECK_INTERVAL = 1_000;

/** A part of the gateway that closes its connections while Redis is not used. */
export interface Resting {
  /** Closes its connections to Redis, and stops timers that would open new ones. */
  rest(): void;
  /** Called when Redis is used again. */
  wake?(): void;
}

/**
 * Tracks whether clients use Redis. After a time without commands the gateway closes its connections, so that the host can put
 * Redis to sleep. A lazy gateway opens none before the first command. Commands that the gateway sends by itself do not count as use.
 */
export class Activity {
  readonly #members = new Set<Resting>();
  #usedAt: number;
  /** Number of connections that are lent now. */
  #lent = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the members rest, so that the gateway has no connection to Redis. */
  isResting: boolean;
  /** Returns whether commands are pending or event streams are open. Set by the owner. */
  isBusy: () => boolean = () => false;

  /**
   * @param idle time in ms without commands after which connections are closed. 0: never
   * @param isLazy whether the members rest until the first command
   */
  constructor(
    private readonly idle: number,
    isLazy: boolean,
    private readonly clock = systemClock,
  ) {
    this.isResting = isLazy;
    this.#usedAt = clock.now();
    if (!isLazy) this.#arm(idle);
  }

  /** Adds a member until the returned function is called. Members are called in the order in which they were added. */
  add(member: Resting): () => void {
    this.#members.add(member);
    return () => this.#members.delete(member);
  }

  /** Records that a client's command or event stream is about to use Redis, and wakes the members if they rest. */
  use(): void {
    this.#usedAt = this.clock.now();
    if (!this.isResting) return;
    this.isResting = false;
    this.#arm(this.idle);
    for (const member of [...this.#members]) member.wake?.();
  }

  /** Records that a blocking command or a transaction got a connection, until {@link giveBack}. */
  lend(): void {
    this.#lent++;
  }

  giveBack(): void {
    this.#lent--;
    this.#usedAt = this.clock.now();
  }

  close(): void {
    this.clock.clear(this.#timer);
    this.#members.clear();
  }

  #arm(wait: number): void {
    if (this.idle > 0) this.#timer = this.clock.setTimeout(this.#check, Math.ceil(wait)).unref();
  }

  #check = (): void => {
    const left = this.#usedAt + this.idle - this.clock.now();
    if (this.#lent > 0 || this.isBusy()) {
      this.#usedAt = this.clock.now();
      this.#arm(Math.min(this.idle, MAX_CHECK_INTERVAL));
    } else if (left > 0) this.#arm(left);
    else {
      this.isResting = true;
      for (const member of [...this.#members]) member.rest();
    }
  };
}
