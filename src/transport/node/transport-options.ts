import type { CircuitOptions, RedisOptions } from "../../options/options.js";
import type { HttpRequest } from "../../protocol/http.js";

/** Settings of the connections to one origin. */
export interface NodeTransportOptions extends Pick<RedisOptions, "tls" | "proxy"> {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean;
  readonly maxConnections: number;
  /** Maximum size of a response's body, in bytes. */
  readonly maxReplySize: number;
  /** A request that changes nothing, to check whether a connection is alive. */
  readonly probe: HttpRequest;
  /** Times of the circuit, or false to turn it off. */
  readonly circuit: CircuitOptions | false;
  /** Called while a connection is pre-opened, to do work in the meantime. */
  readonly whileOpening?: (() => void) | undefined;
}

/** Returns the settings of a client's connections, with their defaults. */
export function createNodeTransportOptions(
  origin: string,
  options: Pick<RedisOptions, "keepAlive" | "maxConnections" | "circuit" | "tls" | "proxy">,
  maxReplySize: number,
  probe: HttpRequest,
): NodeTransportOptions {
  const { keepAlive = process.env.WARMLINE_KEEPALIVE !== "0", maxConnections = 64 } = options;
  const { circuit = {}, tls, proxy } = options;
  return { origin, keepAlive, maxConnections, maxReplySize, probe, circuit, tls, proxy };
}
