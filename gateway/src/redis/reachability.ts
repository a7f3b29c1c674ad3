import type { Log } from "../log/log.js";

/**
 * Tracks whether a Redis can be reached, by the results of the gateway's own connections. Logs one line with the reason when it
 * can't be reached, and one when it can again.
 */
export class Reachability {
  #onKnown!: () => void;
  readonly #known = new Promise<void>((resolve) => {
    this.#onKnown = resolve;
  });
  #wasReached = false;
  /** Whether the first attempt has taken longer than its timeout. */
  #isLate = false;
  /** The reason why the last attempt failed, or null. */
  #reason: string | null = null;

  /** @param description the description of the Redis, without secrets */
  constructor(
    private readonly description: string,
    private readonly log: Log,
  ) {}

  /** The reason why the last attempt to connect failed, if none succeeded so far: commands fail at once. Null otherwise. */
  get unreachedReason(): string | null {
    return this.#wasReached ? null : this.#reason;
  }

  /** The reason why the Redis can't be reached at present, as a sentence. Null if it can, or if that is not known yet. */
  get problem(): string | null {
    if (this.#reason !== null) return `${this.description} cannot be reached: ${this.#reason}`;
    return this.#isLate ? `${this.description} has not replied yet` : null;
  }

  /** Resolves when the first attempt to connect has ended, or after `timeout` ms. */
  async firstAttempt(timeout: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#isLate = true;
      this.#onKnown();
    }, timeout);
    await this.#known;
    clearTimeout(timer);
  }

  /** Writes a line to the log that begins with the description of the Redis. */
  tell(text: string, isError = false): void {
    const line = `${this.description} ${text}`;
    if (isError) this.log.error(line);
    else this.log.info(line);
  }

  /** Forgets why Redis could not be reached: nothing is known while there is no attempt. */
  forget(): void {
    this.#reason = null;
  }

  /** Called when a connection is ready for commands. */
  up(): void {
    this.#onKnown();
    if (this.#reason !== null) this.tell("can be reached");
    this.#wasReached = true;
    this.#isLate = false;
    this.#reason = null;
  }

  /** Called when an attempt to connect has failed. */
  down(reason: string): void {
    this.#onKnown();
    const isNew = this.#reason === null;
    this.#reason = reason;
    if (isNew) this.log.error(this.problem!);
  }
}
