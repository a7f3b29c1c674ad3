import type { Log } from "./log.js";

/** What is known of a request once it is over. Neither its path nor its body is: they hold keys and values. */
export interface SettledRequest {
  readonly method: string;
  /** Which part of the gateway answered, in a word. */
  readonly route: string;
  /** The command, where it was one that is known; for several, their number. */
  readonly what: string;
  /** The name of the token that it presented; empty without one. */
  readonly token: string;
  /** 0 when the client went before it had an answer. */
  readonly status: number;
  readonly ms: number;
}

/** How often failures are reported, in ms. */
const REPORT_EVERY = 1_000;

/** Writes requests to the log: each of them where that was asked for, and in any case how many failed. */
export class RequestLog {
  readonly #log: Log;
  readonly #each: boolean;
  readonly #failed = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param each whether every request is logged, at level `info` */
  constructor(log: Log, each: boolean) {
    this.#log = log;
    this.#each = each && log.isLevelEnabled("info");
  }

  /** Whether every request is logged. */
  get each(): boolean {
    return this.#each;
  }

  /** Logs a request that is over: see {@link each}. */
  request({ ms, ...rest }: SettledRequest): void {
    this.#log.info({ ...rest, ms: Math.round(ms * 1_000) / 1_000 }, "request");
  }

  /** Counts a request that failed, which is reported in time. */
  failed(status: number): void {
    this.#failed.set(status, (this.#failed.get(status) ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.#report(), REPORT_EVERY).unref();
  }

  /** Reports what has not been reported. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#failed.size > 0) this.#report();
  }

  #report(): void {
    this.#timer = undefined;
    const failed = Object.fromEntries(this.#failed);
    this.#failed.clear();
    this.#log.warn({ failed }, "requests failed, by status");
  }
}
