/** A request that is not valid HTTP, or of a kind that is not supported. Its response has `status` and the message. */
export class HttpError extends Error {
  override readonly name = "HttpError";

  /** @param reason what is wrong, one of few texts, for metrics and logs. Default: the message. */
  constructor(
    message: string,
    readonly status: number = 400,
    readonly reason: string = message,
  ) {
    super(message);
  }

  /** Whether the request is at fault, rather than the gateway, which has no memory for it. */
  get isMalformed(): boolean {
    return this.status !== 503;
  }
}

/** The error for a request that is not valid HTTP. */
export function malformed(what: string): HttpError {
  return new HttpError(`the request is not valid HTTP: ${what}`, 400, what);
}
