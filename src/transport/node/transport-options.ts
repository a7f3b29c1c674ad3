import { assertConfig } from "../../options/assert-config.js";
import { findUnknownOption } from "../../options/option-names.js";
import type { CircuitOptions, RedisOptions } from "../../options/options.js";
import type { HttpRequest } from "../../protocol/http.js";

/** Times of a circuit, in ms. */
export type CircuitSettings = { -readonly [Name in keyof CircuitOptions]-?: number };

const DEFAULT_CIRCUIT: CircuitSettings = { resetTimeout: 1_000, probeTimeout: 500 };

/**
 * Returns the times of the circuit with their defaults; false without a circuit.
 * @throws ConfigError naming the option that is wrong.
 */
export function resolveCircuit({ circuit = {} }: Pick<RedisOptions, "circuit">): CircuitSettings | false {
  if (circuit === false) return false;
  const names = Object.keys(DEFAULT_CIRCUIT) as (keyof CircuitSettings)[];
  assertConfig(
    typeof circuit === "object" && circuit !== null,
    `circuit must be an object with ${names.join(" and ")}, or false`,
  );
  const unknown = findUnknownOption(circuit, names);
  assertConfig(unknown === undefined, `circuit: ${unknown}`);
  const settings = { ...DEFAULT_CIRCUIT };
  for (const name of names) {
    const ms = circuit[name] ?? settings[name];
    assertConfig(typeof ms === "number" && ms > 0, `circuit.${name} must be a number of ms above 0`);
    settings[name] = ms;
  }
  return settings;
}

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
