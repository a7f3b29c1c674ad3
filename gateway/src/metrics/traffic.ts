import { CommandCounts } from "./commands.js";
import { BYTES, Histogram, SECONDS } from "./histogram.js";
import { TokenCounts, type TokenNumbers } from "./tokens.js";

export interface RouteNumbers {
  /** Responses by status; 0 stands for none. */
  readonly responses: Map<number, number>;
  /** From a request's head to its response, in seconds. */
  readonly duration: Histogram;
  /** From sending commands to Redis to the last reply, in seconds; blocking commands are left out. */
  readonly upstream: Histogram;
  readonly requestSize: Histogram;
  readonly responseSize: Histogram;
}

/** A request that is over. */
export interface SettledTraffic {
  readonly route: string;
  /** 0 when the client went before the response. */
  readonly status: number;
  /** Duration in ms; null for an event stream. */
  readonly ms: number | null;
  /** Time in ms that Redis took. Null if no command was sent, no reply came, or a command blocked there. */
  readonly upstreamMs: number | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** The numbers of its token; null without one that is known. */
  readonly token: TokenNumbers | null;
}

/** Counts requests, their responses and how long they took: by route, command and token. */
export class Traffic {
  /** Requests whose head arrived. */
  requests = 0;
  /** Requests that are not valid HTTP, by reason. */
  readonly malformed = new Map<string, number>();
  readonly routes = new Map<string, RouteNumbers>();
  readonly commands = new CommandCounts();
  readonly tokens = new TokenCounts();

  /** Counts a request that is not valid HTTP. */
  malformedBy(reason: string): void {
    this.malformed.set(reason, (this.malformed.get(reason) ?? 0) + 1);
  }

  settled(request: SettledTraffic): void {
    const { route: name, status, ms, upstreamMs, requestBytes, responseBytes, token } = request;
    let route = this.routes.get(name);
    if (!route) {
      route = {
        responses: new Map(),
        duration: new Histogram(SECONDS),
        upstream: new Histogram(SECONDS),
        requestSize: new Histogram(BYTES),
        responseSize: new Histogram(BYTES),
      };
      this.routes.set(name, route);
    }
    route.responses.set(status, (route.responses.get(status) ?? 0) + 1);
    if (ms !== null) route.duration.observe(ms / 1_000);
    if (upstreamMs !== null) route.upstream.observe(upstreamMs / 1_000);
    route.requestSize.observe(requestBytes);
    if (status !== 0) route.responseSize.observe(responseBytes);
    if (!token) return;
    token.requests++;
    if (status >= 400) token.errors++;
    token.requestBytes += requestBytes;
    token.responseBytes += responseBytes;
  }
}
