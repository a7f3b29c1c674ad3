import type { RedisOptions } from "../options/options.js";

/** Modes of `cache` that let a page keep the data it read. */
const KEPT: readonly RedisOptions["cache"][] = ["default", "force-cache", "only-if-cached"];

/**
 * Next.js renders a page once, while it builds, when the page reads nothing but what it takes for constant, and a socket
 * is not seen. A fetch that must not be cached is: with one, the page is rendered anew for each request.
 * @returns a function to call before each command; it returns a promise if the command has to wait. Undefined without
 * Next.js, or if `cache` lets pages keep the data they read.
 */
export function markPageDynamic({ cache }: RedisOptions): (() => Promise<unknown> | undefined) | undefined {
  // Next.js puts a constant in the place of this name.
  if (!process.env.NEXT_RUNTIME || KEPT.includes(cache)) return undefined;
  return () => {
    const marked = fetch("data:,", { cache: "no-store" } as RequestInit);
    // While building, the rendering of the page ends with this: its error has to reach Next.js.
    if (process.env.NEXT_PHASE === "phase-production-build") return marked;
    // At run time the call itself is enough, and no command waits.
    marked.catch(() => {});
    return undefined;
  };
}
