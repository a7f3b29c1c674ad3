import type { RequestRecord } from "../log/request-record.js";
import { LazyMap } from "../util/lazy-map.js";
import { CommandCounts } from "./commands.js";
import { BYTES, Histogram, SECONDS } from "./histogram.js";

/** The requests of one route. */
export class RouteNumbers {
  /** Responses by status. 0 counts requests without a response. */
  readonly responses = new Map<number, number>();
  /** From a request's head to its response, in seconds. */
  readonly duration = new Histogram(SECONDS);
  /** From sending commands to Redis to the last reply, in seconds; blocking commands are left out. */
  readonly upstream = new Histogram(SECONDS);
  readonly requestSize = new Histogram(BYTES);
  readonly responseSize = new Histogram(BYTES);
}

/** The requests of one token. */
export class TokenNumbers {
  requests = 0;
  /** Requests that ended with a status from 400 on. */
  errors = 0;
  commands = 0;
  requestBytes = 0;
  responseBytes = 0;
}

/** Counts requests, their responses and how long they took: by route, command and token. */
export class Traffic {
  /** Requests whose head arrived. */
  requests = 0;
  /** Requests that are not valid HTTP, by reason. */
  readonly malformed = new Map<string, number>();
  readonly routes = new LazyMap((_route: string) => new RouteNumbers());
  readonly commands = new CommandCounts();
  readonly tokens = new LazyMap((_name: string) => new TokenNumbers());

  /** Counts a request that is not valid HTTP. */
  malformedBy(reason: string): void {
    this.malformed.set(reason, (this.malformed.get(reason) ?? 0) + 1);
  }

  /**
   * Counts a request that is over.
   * @param status 0 if the client went before the response
   * @param ms its duration; null for an event stream
   * @param token the numbers of its token; null without a valid token
   */
  settled(record: RequestRecord, status: number, ms: number | null, token: TokenNumbers | null): void {
    const { upstreamMs, blocks, requestBytes, responseBytes } = record;
    const route = this.routes.of(record.route);
    route.responses.set(status, (route.responses.get(status) ?? 0) + 1);
    if (ms !== null) route.duration.observe(ms / 1_000);
    if (upstreamMs !== null && !blocks) route.upstream.observe(upstreamMs / 1_000);
    route.requestSize.observe(requestBytes);
    if (status !== 0) route.responseSize.observe(responseBytes);
    if (!token) return;
    token.requests++;
    if (status >= 400) token.errors++;
    token.requestBytes += requestBytes;
    token.responseBytes += responseBytes;
  }
}
