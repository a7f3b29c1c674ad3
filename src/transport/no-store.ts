/**
 * Returns the part of a request's init that keeps caches from answering it. Next.js has such a cache in its `fetch`, which
 * answered an INCR by the reply to an earlier one. Workers without the option throw at its name. jsdom has no `Request`.
 */
export const noStore = (): RequestInit =>
  typeof Request === "function" && "cache" in Request.prototype ? ({ cache: "no-store" } as RequestInit) : {};
