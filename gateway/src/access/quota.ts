import { type Entrant, Gate } from "./gate.js";
import { RateLimit } from "./rate-limit.js";
import type { ParsedLimits } from "./token-limits.js";

/** A request that would take its token beyond a limit. Nothing of it was run. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";

  /**
   * @param message names the limit
   * @param retryAfter whole seconds after which the same request may succeed, at least 1
   */
  constructor(
    message: string,
    readonly retryAfter = 1,
  ) {
    super(message);
  }
}

/** The limits shared by all tokens of a gateway. */
export interface SharedLimits {
  /** Connections for blocking commands. */
  readonly blocking: number;
  /** Connections for transactions. */
  readonly transactions: number;
  /** Event streams. */
  readonly streams: number;
  /** Commands waiting or unanswered on the shared connections. */
  readonly queued: number;
}

/** The part of each shared limit that one token may hold: half, or all of it if there is no other token. */
export class Shares {
  /** Whether more than one token may run commands. */
  areSeveral = false;

  /**
   * @param totals the gateway's limits
   * @param timeout how long a transaction may wait for others of its token, in ms
   */
  constructor(
    readonly totals: SharedLimits,
    readonly timeout: number,
  ) {}

  /** Returns the part of a limit that one token may hold now. */
  of(limit: keyof SharedLimits): number {
    return this.areSeveral ? Math.max(1, Math.floor(this.totals[limit] / 2)) : Number.POSITIVE_INFINITY;
  }
}

const NAMES: Readonly<Record<keyof SharedLimits, string>> = {
  blocking: "connections for blocking commands",
  transactions: "connections for transactions",
  streams: "event streams",
  queued: "commands that may wait for Redis",
};

/** Tracks the current use of one token against its limits. */
export class Quota {
  readonly #transactions = new Gate();
  #queued = 0;
  #blocking = 0;
  #streams = 0;
  #requests = 0;
  #limits: ParsedLimits | null = null;
  #commandRate: RateLimit | null = null;
  #byteRate: RateLimit | null = null;

  /** @param owner names the token */
  constructor(
    readonly owner: string,
    private readonly shares: Shares,
  ) {}

  /** Whether the token has limits of its own, so that {@link enterRequest} is due. */
  get isLimited(): boolean {
    return this.#limits !== null;
  }

  /** Sets the token's own limits. Limits that stay the same keep what they have counted. */
  setLimits(limits: ParsedLimits | null): void {
    const before = this.#limits;
    this.#limits = limits;
    const { commandsPerSecond, bytesPerSecond }: ParsedLimits = limits ?? {};
    const now = performance.now();
    if (commandsPerSecond !== before?.commandsPerSecond)
      this.#commandRate = commandsPerSecond ? new RateLimit(commandsPerSecond, now) : null;
    if (bytesPerSecond !== before?.bytesPerSecond)
      this.#byteRate = bytesPerSecond ? new RateLimit(bytesPerSecond, now) : null;
  }

  /**
   * Counts a request, until {@link leaveRequest}.
   * @throws {LimitExceeded} when too many are under way, or the bytes of earlier ones are more than the rate allows
   */
  enterRequest(): void {
    const { concurrentRequests = Number.POSITIVE_INFINITY }: ParsedLimits = this.#limits ?? {};
    if (this.#requests >= concurrentRequests)
      throw this.#overLimit("concurrentRequests", "has", "requests in flight");
    const seconds = this.#byteRate?.secondsUntil(1, performance.now()) ?? 0;
    if (seconds > 0)
      throw this.#overLimit("bytesPerSecond", "may send and receive", "bytes per second", seconds);
    this.#requests++;
  }

  leaveRequest(): void {
    this.#requests--;
  }

  /** Counts bytes of a body that was received or is sent. */
  transferred(bytes: number): void {
    this.#byteRate?.take(bytes);
  }

  /**
   * Counts commands that are about to be sent, until {@link leave}. A batch larger than the token's share is let in when
   * nothing else of the token is under way; one larger than its rate when the token has sent nothing for a second.
   * @param blocks whether one of them may wait at Redis, on a connection of its own
   * @throws {LimitExceeded}
   */
  enter(commands: number, blocks: boolean): void {
    const shares = this.shares;
    if (this.#queued > 0 && this.#queued + commands > shares.of("queued")) throw this.#exceeded("queued");
    if (blocks && this.#blocking >= shares.of("blocking")) throw this.#exceeded("blocking");
    this.spend(commands);
    this.#queued += commands;
    if (blocks) this.#blocking++;
  }

  /** Records that commands got their replies, or failed. */
  leave(commands: number, blocks: boolean): void {
    this.#queued -= commands;
    if (blocks) this.#blocking--;
  }

  /**
   * Counts a wait for entries of a followed stream, until {@link leaveWait}. Returns false, and counts none, if more than
   * half of the token's share would be in use then, so that blocking commands have the rest.
   */
  enterWait(): boolean {
    if (this.#blocking >= Math.floor(this.shares.of("blocking") / 2)) return false;
    this.#blocking++;
    return true;
  }

  /** Records that a wait of {@link enterWait} is over. */
  leaveWait(): void {
    this.#blocking--;
  }

  /** Runs a transaction now, or once fewer of the token's transactions run than it may. {@link leaveTransaction} follows. */
  enterTransaction(transaction: Entrant): void {
    this.#transactions.enter(transaction, this.shares.of("transactions"), this.transactionTimeout);
  }

  /** Timeout in ms for a transaction, including its wait for others of the same token. */
  get transactionTimeout(): number {
    return this.shares.timeout;
  }

  /** The error of a transaction that waited too long for others of its token. */
  get transactionsExceeded(): LimitExceeded {
    return this.#exceeded("transactions");
  }

  /** Records that a transaction got its reply, or failed. */
  leaveTransaction(): void {
    this.#transactions.leave(this.shares.of("transactions"));
  }

  /**
   * Counts an event stream, until {@link leaveStream}.
   * @param channels how many it begins with, each of which counts as a command
   * @throws {LimitExceeded}
   */
  enterStream(channels: number): void {
    if (this.#streams >= this.shares.of("streams")) throw this.#exceeded("streams");
    this.spend(channels);
    this.#streams++;
  }

  leaveStream(): void {
    this.#streams--;
  }

  /**
   * Counts commands against their rate.
   * @throws {LimitExceeded}
   */
  spend(commands: number): void {
    const rate = this.#commandRate;
    if (!rate) return;
    const seconds = rate.secondsUntil(commands, performance.now());
    if (seconds > 0) throw this.#overLimit("commandsPerSecond", "may send", "commands per second", seconds);
    rate.take(commands);
  }

  /**
   * Counts what a command costs beyond itself against the rate, whether that allows it or not: as a debt, it delays the token's
   * next commands.
   */
  owe(commands: number): void {
    this.#commandRate?.take(commands);
  }

  /** @param before what the message says before the number of the limit, and `after` behind it */
  #overLimit(limit: keyof ParsedLimits, before: string, after: string, seconds = 1): LimitExceeded {
    const text = `this token ${before} ${this.#limits![limit]} ${after} (limit ${limit})`;
    return new LimitExceeded(text, Math.ceil(seconds));
  }

  #exceeded(limit: keyof SharedLimits): LimitExceeded {
    const { totals } = this.shares;
    const share = this.shares.of(limit);
    return new LimitExceeded(`this token has its share, ${share} of the ${totals[limit]} ${NAMES[limit]}`);
  }
}
