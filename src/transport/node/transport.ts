import type { HttpRequest } from "../../protocol/http.js";
import type {
  Attempt,
  AttemptListener,
  ConnectionStats,
  RetryInfo,
  Timers,
  Transport,
} from "../transport.js";
import { PooledAttempt } from "./attempt.js";
import { callTimers } from "./call-timers.js";
import { events } from "./events.js";
import { getPool, type Pool } from "./pool.js";

export interface NodeTransportOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean;
  readonly maxConnections: number;
  /** The most bytes of a response's body. */
  readonly maxReplySize: number;
  /** A request that changes nothing, to check whether a connection is alive. */
  readonly probe: HttpRequest;
  /** Called while a connection is being opened ahead of need, for work that is useful then. */
  whileOpening?(): void;
}

/** Requests over the thread's pool of keep-alive connections. */
export class NodeTransport implements Transport {
  readonly timers: Timers = callTimers;
  private readonly pool: Pool;

  constructor(private readonly options: NodeTransportOptions) {
    this.pool = getPool(options.origin, options.keepAlive);
  }

  get stats(): ConnectionStats {
    return this.pool.stats;
  }

  attempt(repeatable: boolean, listener: AttemptListener): Attempt {
    return new PooledAttempt(this.pool, this.options, repeatable, listener).begin();
  }

  onRetry(info: RetryInfo): void {
    this.stats.retries++;
    const { retry } = events();
    if (retry.hasSubscribers) retry.publish({ origin: this.options.origin, ...info });
  }

  preconnect(): Promise<void> {
    const opened = this.pool.preconnect();
    this.options.whileOpening?.();
    return opened;
  }

  close(): void {
    this.pool.closeIdle();
  }
}
