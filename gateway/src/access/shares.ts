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

const NO_LIMITS: SharedLimits = {
  blocking: Number.POSITIVE_INFINITY,
  transactions: Number.POSITIVE_INFINITY,
  streams: Number.POSITIVE_INFINITY,
  queued: Number.POSITIVE_INFINITY,
};

/** The part of each shared limit that one token may hold. A single token may hold all of it. */
export class Shares {
  readonly #share: SharedLimits;
  /** The part of each limit that one token may hold now. */
  max = NO_LIMITS;

  /**
   * @param totals the gateway's limits
   * @param percent percentage of each limit that one of several tokens may hold; the result is at least 1
   * @param timeout how long a transaction may wait for others of its token, in ms
   * @param workers processes among which each limit of a token is divided
   */
  constructor(
    readonly totals: SharedLimits,
    percent: number,
    readonly timeout: number,
    readonly workers: number,
  ) {
    const part = (total: number) => Math.max(1, Math.floor((total * percent) / 100));
    const { blocking, transactions, streams, queued } = totals;
    this.#share =
      percent === 100
        ? NO_LIMITS
        : {
            blocking: part(blocking),
            transactions: part(transactions),
            streams: part(streams),
            queued: part(queued),
          };
  }

  /** Sets whether more than one token may run commands. */
  setSeveral(several: boolean): void {
    this.max = several ? this.#share : NO_LIMITS;
  }
}
