import { within } from "../../util/timers.js";
import type {
  Attempt,
  AttemptListener,
  BatchLimiter,
  ConnectionStats,
  RetryInfo,
  Timers,
  Transport,
} from "../transport.js";
import { PooledAttempt } from "./attempt.js";
import { callTimers } from "./call-timers.js";
import { publish } from "./events.js";
import { resolveNetwork } from "./network.js";
import { getPool, type Pool, PRECONNECT_LIMIT } from "./pool.js";
import { openStream } from "./stream.js";
import type { NodeTransportOptions } from "./transport-options.js";

/** Requests over the thread's pool of keep-alive connections. */
export class NodeTransport implements Transport {
  readonly timers: Timers = callTimers;
  readonly fetch: Transport["fetch"];
  readonly #pool: Pool;

  /** @param pool the pool of the connections. Default: the thread's pool of the origin. */
  constructor(
    private readonly options: NodeTransportOptions,
    pool?: Pool,
  ) {
    const network = resolveNetwork(options, options.origin, process.env);
    this.#pool = pool ?? getPool(options.origin, options.keepAlive, network);
    // The runtime's own fetch supports neither TLS options nor a proxy.
    if (network) this.fetch = (url, init) => openStream(this.#pool.origin, url, init);
  }

  get stats(): ConnectionStats {
    return this.#pool.stats;
  }

  get batchLimiter(): BatchLimiter {
    return this.#pool.batchLimiter;
  }

  attempt(listener: AttemptListener): Attempt {
    return new PooledAttempt(this.#pool, this.options, listener).begin();
  }

  onWait(waited: number, timeout: number, attempt?: Attempt): number {
    const { circuit, hedging } = this.#pool;
    const lateAfter = hedging.delay;
    // Nearly every call has its response by then, so the rest is computed later.
    if (waited === 0) return Math.min(lateAfter, timeout / 4);
    const slowAfter = this.options.circuit ? circuit.slowAfter(timeout, this.options) : timeout;
    const isSlow = waited >= slowAfter;
    const isLate = waited >= lateAfter;
    // Either may be due first. Once both are, the earlier one was called before.
    if (isSlow && (!isLate || slowAfter >= lateAfter)) circuit.onSlow(this.options, timeout);
    if (isLate && (!isSlow || lateAfter >= slowAfter)) attempt?.onLate?.();
    return Math.min(isSlow ? timeout : slowAfter, isLate ? timeout : lateAfter, timeout);
  }

  onCallFailed(timeout: number, timedOut: boolean): void {
    if (this.options.circuit) this.#pool.circuit.onCallFailed(this.options, timeout, timedOut);
  }

  onRetry(info: RetryInfo): void {
    this.stats.retries++;
    publish("retry", this.options.origin, () => info);
  }

  preconnect(): Promise<void> {
    const opened = this.#pool.preconnect();
    this.options.whileOpening?.();
    return opened;
  }

  ready(): Promise<void> {
    // During an outage a connection may hang while it opens, or open and get no response.
    if (this.stats.circuit === "closed" && !this.#pool.nextIsSuspect) return this.preconnect();
    let attempt: Attempt | undefined;
    const checked = new Promise<void>((resolve) => {
      attempt = this.attempt({
        label: "PING",
        // A fresh connection is opened if the suspect one does not respond.
        numberIfNeeded: () => true,
        take: () => this.options.probe,
        onStart() {},
        onResponse: () => resolve(),
        onFailure: () => resolve(),
      });
    });
    return within(PRECONNECT_LIMIT, checked).catch(() => attempt?.abort());
  }

  close(): void {
    this.#pool.closeIdle();
  }
}
