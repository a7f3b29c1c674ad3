/**
 * Returns the options of `fetch` that bypass caches. The cache of Next.js once responded to an INCR with an earlier reply. Workers
 * without the option throw if it is present. jsdom has no `Request`.
 */
export const noStore = (): RequestInit =>
  typeof Request === "function" && "cache" in Request.prototype ? ({ cache: "no-store" } as RequestInit) : {};
