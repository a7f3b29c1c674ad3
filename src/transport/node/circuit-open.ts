import type { Unreachable } from "../transport.js";

/** Nothing was sent, because the circuit of the origin is open. */
export class CircuitOpen extends Error implements Unreachable {
  /**
   * @param retryAt the time of the next attempt, in ms since 1970.
   * @param cause the last error of a connection, if there was one, such as that of a name or a certificate.
   */
  constructor(
    origin: string,
    readonly retryAt: number,
    cause: Error | undefined,
  ) {
    super(
      `${origin} does not respond, so the circuit is open; error.retryAt is the time of the next attempt`,
      cause && { cause },
    );
  }
}
