/** The most bytes of a response's body unless `maxReplySize` says otherwise: as many as warmline-gateway passes on. */
export const DEFAULT_MAX_REPLY_SIZE = 512 * 1024 * 1024;

/** A response has more bytes than `maxReplySize` allows. The rest is not read. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";

  // `warmline/undici` has a copy of this class.
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "ResponseTooLarge";
  }

  constructor(limit: number) {
    super(`the response is larger than maxReplySize (${limit} bytes)`);
  }
}
