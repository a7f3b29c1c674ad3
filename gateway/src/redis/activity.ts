import { systemClock } from "../util/clock.js";

/** Maximum interval in ms between checks whether Redis can rest, while something is under way. */
const MAX_CHECK_INTERVAL = 1_000;

/** A part of the gateway that closes its connections while Redis is not used. */
export interface Resting {
  /** Closes idle connections, and stops what would open others. */
  rest(): void;
  /** Called when Redis is used again. */
  wake?(): void;
}

/**
 * Whether clients use Redis. Without their commands for a time, or before the first one, the gateway keeps no connection to Redis,
 * so that a host can let it sleep. What the gateway does by itself does not count as use.
 */
export class Activity {
  readonly #members = new Set<Resting>();
  #usedAt: number;
  /** Uses of connections that are lent. */
  #lent = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the gateway keeps no connection at present. */
  isResting: boolean;
  /** Returns whether something else is under way, such as commands or event streams. */
  isBusy: () => boolean = () => false;

  /**
   * @param idle time in ms without commands after which connections are closed. 0: they are never closed
   * @param isLazy whether it rests until the first command
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

  /** A client's command or event stream is about to use Redis. */
  use(): void {
    this.#usedAt = this.clock.now();
    if (!this.isResting) return;
    this.isResting = false;
    this.#arm(this.idle);
    for (const member of [...this.#members]) member.wake?.();
  }

  /** A connection is lent for a use of its own, until {@link giveBack}. */
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
