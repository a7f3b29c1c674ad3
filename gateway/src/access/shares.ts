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

/** The part of each shared limit that one token may hold. A single token may hold all of it. */
export class Shares {
  /** Whether more than one token may run commands. */
  areSeveral = false;

  /**
   * @param totals the gateway's limits
   * @param percent percentage of each limit that one of several tokens may hold; the result is at least 1
   * @param timeout how long a transaction may wait for others of its token, in ms
   */
  constructor(
    readonly totals: SharedLimits,
    private readonly percent: number,
    readonly timeout: number,
  ) {}

  /** Returns the part of a limit that one token may hold now. */
  of(limit: keyof SharedLimits): number {
    if (!this.areSeveral || this.percent === 100) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((this.totals[limit] * this.percent) / 100));
  }
}
