/** A request that would take its token beyond a limit. Nothing of it was run. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";

  /**
   * @param message names the limit
   * @param retryAfter whole seconds after which the same request may succeed, at least 1
   */
  constructor(
    message: string,
    readonly retryAfter = 1,
  ) {
    super(message);
  }
}
