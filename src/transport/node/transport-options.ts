import type { CircuitOptions, RedisOptions } from "../../options/options.js";
import type { HttpRequest } from "../../protocol/http.js";

/** Times of a circuit, in ms. */
export type CircuitSettings = Required<CircuitOptions>;

/** Returns the times of the circuit with their defaults; false without a circuit. */
export const resolveCircuit = ({ circuit = {} }: Pick<RedisOptions, "circuit">): CircuitSettings | false =>
  circuit && { resetTimeout: circuit.resetTimeout ?? 1_000, probeTimeout: circuit.probeTimeout ?? 500 };

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
  /** Times of the circuit; false without one. */
  readonly circuit: CircuitSettings | false;
  /** Called while a connection is being opened ahead of need, for work that is useful then. */
  whileOpening?(): void;
}
