/** A request that is malformed or not allowed. Its response has `status` and the message. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";

  constructor(
    message: string,
    readonly status: number = 400,
    /** Further headers of the response, name and value in turn. */
    readonly headers?: readonly string[],
  ) {
    super(message);
  }
}
