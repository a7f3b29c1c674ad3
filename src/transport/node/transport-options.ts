import type { RedisOptions } from "../../options/options.js";
import type { HttpRequest } from "../../protocol/http.js";

/** Settings of the connections to one origin. */
export interface NodeTransportOptions extends Pick<RedisOptions, "tls" | "proxy"> {
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
