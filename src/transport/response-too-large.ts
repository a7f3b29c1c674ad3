import type { FinalFailure } from "./transport.js";

/** The most bytes of a response's body unless `maxReplySize` says otherwise: as many as warmline-gateway passes on. */
export const DEFAULT_MAX_REPLY_SIZE = 512 * 1024 * 1024;

/** A response has more bytes than `maxReplySize` allows. The rest is not read. */
export class ResponseTooLarge extends Error implements FinalFailure {
  readonly final = true;

  constructor(limit: number) {
    super(`the response is larger than maxReplySize (${limit} bytes)`);
  }
}
