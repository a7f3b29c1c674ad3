/** A request that can't be understood or is not allowed; answered with `status` and the message. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";

  constructor(
    message: string,
    readonly status: number = 400,
  ) {
    super(message);
  }
}
