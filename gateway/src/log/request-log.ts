import type { Log } from "./log.js";
import type { TraceContext } from "./request-id.js";
import type { RequestRecord } from "./request-record.js";

/** The end of a request. */
interface RequestEnd {
  readonly method: string;
  /** 0 if the client disconnected before the response. */
  readonly status: number;
  readonly ms: number;
  readonly trace: TraceContext | null;
  /** Whether the request is meant to wait: a blocking command or an event stream. Such a request does not count as slow. */
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

type FailureKind = keyof typeof REPORTS;

/** Logs requests: each one or the slow ones, depending on the settings. The number of failures is always logged. */
export class RequestLog {
  readonly #each: boolean;
  readonly #slow: number;
  #counts: Partial<Record<FailureKind, Record<string, number>>> = {};
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param each whether every request is logged, at level `info`
   * @param slow duration in ms from which a request is logged at level `warn`; 0 for never
   */
  constructor(
    private readonly log: Log,
    each: boolean,
    slow: number,
  ) {
    this.#each = each && log.isLevelEnabled("info");
    this.#slow = slow > 0 && log.isLevelEnabled("warn") ? slow : Number.POSITIVE_INFINITY;
  }

  /** Whether single requests may be logged. If not, only failures are counted. */
  get isOn(): boolean {
    return this.#each || this.#slow < Number.POSITIVE_INFINITY;
  }

  /** Logs a finished request if every request is logged, or if it was slow. */
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
   * Counts a failure. All failures of a second are reported together.
   * @param key the status or the reason: one of few values, so that no client can fill the log
   */
  count(kind: FailureKind, key: string | number): void {
    this.#counts[kind] ??= {};
    const counts = this.#counts[kind];
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
    for (const [kind, counts] of Object.entries(this.#counts))
      this.log.warn({ [kind]: counts }, REPORTS[kind as FailureKind]);
    this.#counts = {};
  }
}

/** Returns a time in ms, rounded to a microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
