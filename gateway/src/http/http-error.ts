/** A request that is not valid HTTP, or of a kind that is not supported. Its response has `status` and the message. */
export class HttpError extends Error {
  override readonly name = "HttpError";

  constructor(
    message: string,
    readonly status: number = 400,
  ) {
    super(message);
  }
}

/** The error for a request that is not valid HTTP. */
export function malformed(what: string): HttpError {
  return new HttpError(`the request is not valid HTTP: ${what}`);
}
