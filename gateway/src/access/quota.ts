import { type Entrant, Gate } from "./gate.js";
import { RateLimit } from "./rate-limit.js";
import type { ParsedLimits } from "./token-limits.js";

/** The error of a request that would exceed a limit of its token. No command of it was run. */
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

/** What the limits that all tokens of a gateway share are about, for messages. */
const NAMES = {
  blocking: "connections for blocking commands",
  transactions: "connections for transactions",
  streams: "event streams",
  queued: "commands that may wait for Redis",
};

/** The limits that all tokens of a gateway share. */
export type SharedLimits = Readonly<Record<keyof typeof NAMES, number>>;

/** The share of each shared limit that one token may use: half, or all of it if there is no other token. */
export class Shares {
  /** Whether more than one token may run commands. */
  areSeveral = false;

  /**
   * @param totals the gateway's limits
   * @param timeout maximum time in ms that a transaction waits for others of its token
   */
  constructor(
    readonly totals: SharedLimits,
    readonly timeout: number,
  ) {}

  /** Returns how much of a limit one token may use now. Infinity if there is no other token. */
  of(limit: keyof SharedLimits): number {
    return this.areSeveral ? Math.max(1, Math.floor(this.totals[limit] / 2)) : Number.POSITIVE_INFINITY;
  }
}

/** Checks one token's use against its shares and its own limits. */
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

  /** Whether the token has its own limits. Without them {@link enterRequest} need not be called. */
  get isLimited(): boolean {
    return this.#limits !== null;
  }

  /** Whether the token has a rate of commands. Without it {@link owe} has no effect. */
  get hasCommandRate(): boolean {
    return this.#commandRate !== null;
  }

  /** Sets the token's own limits. A rate that stays the same keeps its count. */
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
   * @throws {LimitExceeded} if too many requests are in flight, or earlier ones used up the rate of bytes
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

  /** Counts bytes of a request or response body against the rate. */
  transferred(bytes: number): void {
    this.#byteRate?.take(bytes);
  }

  /**
   * Counts commands that are about to be sent, until {@link leave}. A batch larger than the token's share is allowed if no other command
   * of the token is under way. A batch larger than its rate is allowed if the token has sent nothing for a second.
   * @param blocks whether one of them may block, on a separate connection
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
   * Counts a connection that waits for entries of a followed stream, until {@link leaveWait}. Returns false, and does not count it, if
   * more than half of the token's share would then be in use: the rest is for blocking commands.
   */
  enterWait(): boolean {
    if (this.#blocking >= Math.floor(this.shares.of("blocking") / 2)) return false;
    this.#blocking++;
    return true;
  }

  /** Records the end of a wait that {@link enterWait} allowed. */
  leaveWait(): void {
    this.#blocking--;
  }

  /** Runs a transaction now, or once the token's share has room for it. The caller then calls {@link leaveTransaction}. */
  enterTransaction(transaction: Entrant): void {
    this.#transactions.enter(transaction, this.shares.of("transactions"), this.transactionTimeout);
  }

  /** Timeout in ms of a transaction, including its wait for others of the token. */
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
   * @param channels number of channels at the start; each counts as a command
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
   * Counts commands against the rate of commands.
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
   * Counts the extra cost of a command that was allowed, such as the messages that a PUBLISH delivers, against the rate of commands. If
   * it exceeds the rate, the token's next commands have to wait.
   */
  owe(commands: number): void {
    this.#commandRate?.take(commands);
  }

  /** @param before the words of the message before the limit's number; `after` are the words behind it */
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
