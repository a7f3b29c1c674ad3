/** The facts about a request for logs and metrics. Its path and body are left out, since they hold keys and values. */
export class RequestRecord {
  /** The route, as a short label. */
  route = "other";
  /** The command's name, if requests are logged, or the number of commands in a batch. */
  what = "";
  /** The name of the token that was presented. */
  token = "";
  /** The request's id in logs and the response. Empty if neither includes it. */
  requestId = "";
  /** The IP address of the client, if logs include it. */
  client = "";
  /** Bytes of the request's body that were read, and of the response's body. */
  requestBytes = 0;
  responseBytes = 0;
  /** Whether the command may block at Redis. */
  blocks = false;
  /** Time in ms from {@link sent} to {@link replied}, or null if no command was sent or Redis has not replied. */
  upstreamMs: number | null = null;
  #sentAt = 0;

  /** Called when the request's commands are passed to the connections to Redis. */
  sent(): void {
    this.#sentAt = performance.now();
  }

  /** Called when the last reply has arrived, or is no longer awaited. Returns how long Redis took, in ms. */
  replied(): number {
    this.upstreamMs = performance.now() - this.#sentAt;
    return this.upstreamMs;
  }
}
