import type { Log } from "./log.js";
import type { TraceContext } from "./request-id.js";
import type { RequestRecord } from "./request-record.js";

/** The end of a request. */
interface RequestEnd {
  readonly method: string;
  /** 0 when the client went before it had a response. */
  readonly status: number;
  readonly ms: number;
  readonly trace: TraceContext | null;
  /** Whether it waits by its nature: a blocking command, an event stream. */
  readonly waits: boolean;
}

/** Interval in ms between reports of failures. */
const REPORT_EVERY = 1_000;

/** The kinds of failures that are counted, and the line that reports each. */
const REPORTS = {
  failed: "requests failed, by status",
  malformed: "requests are not valid HTTP, by reason",
  lost: "connections for event streams were lost, by reason; their readers get a gap",
} as const;

type Counted = keyof typeof REPORTS;

/** Logs requests: each one or the slow ones, depending on the settings. The number of failures is always logged. */
export class RequestLog {
  readonly #each: boolean;
  readonly #slow: number;
  #counts: Partial<Record<Counted, Record<string, number>>> = {};
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param each whether every request is logged, at level `info`
   * @param slow how long a request takes from which on it is logged at level `warn`, in ms; 0 for never
   */
  constructor(
    private readonly log: Log,
    each: boolean,
    slow: number,
  ) {
    this.#each = each && log.isLevelEnabled("info");
    this.#slow = slow > 0 && log.isLevelEnabled("warn") ? slow : Number.POSITIVE_INFINITY;
  }

  /** Whether any request may be logged by itself. */
  get isOn(): boolean {
    return this.#each || this.#slow < Number.POSITIVE_INFINITY;
  }

  /** Logs a request that is over, where it is to be logged: see {@link isOn}. */
  request(record: RequestRecord, { method, status, ms, trace, waits }: RequestEnd): void {
    const isSlow = ms >= this.#slow && !waits;
    if (!this.#each && !isSlow) return;
    const { route, what, token, upstreamMs, requestBytes, responseBytes, requestId, client } = record;
    const line = {
      ...{ method, route, what, token, status, ms: rounded(ms) },
      ...(upstreamMs !== null && { upstreamMs: rounded(upstreamMs) }),
      ...{ requestBytes, responseBytes, requestId, client },
      ...trace,
    };
    if (this.#each) this.log.info(line, "request");
    if (isSlow) this.log.warn(line, "slow request");
  }

  /**
   * Counts a failure. It is reported with others a second later.
   * @param key the status or the reason. There are few, so that no client can fill the log.
   */
  count(what: Counted, key: string | number): void {
    this.#counts[what] ??= {};
    const counts = this.#counts[what];
    counts[key] = (counts[key] ?? 0) + 1;
    this.#timer ??= setTimeout(() => this.#report(), REPORT_EVERY).unref();
  }

  /** Reports the failures that were not reported yet. */
  close(): void {
    clearTimeout(this.#timer);
    this.#report();
  }

  #report(): void {
    this.#timer = undefined;
    for (const [what, counts] of Object.entries(this.#counts))
      this.log.warn({ [what]: counts }, REPORTS[what as Counted]);
    this.#counts = {};
  }
}

/** Returns a time in ms, rounded to a microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
