import type { RedisOptions } from "./config.js";

/** Modes of `cache` that let a page keep the data it read. */
const KEPT: readonly RedisOptions["cache"][] = ["default", "force-cache", "only-if-cached"];

/**
 * Next.js renders a page once, while it builds, when the page reads nothing but what it takes for constant, and a socket
 * is not seen. A fetch that must not be cached is: with one, the page is rendered anew for each request.
 * @returns to be called before each command; gives a promise where the command has to wait for it. Undefined where
 * there is no Next.js, or `cache` lets pages keep what they read.
 */
export function markPageDynamic({ cache }: RedisOptions): (() => Promise<unknown> | undefined) | undefined {
  // Next.js puts a constant in the place of this name.
  if (!process.env.NEXT_RUNTIME || KEPT.includes(cache)) return undefined;
  return () => {
    const marked = fetch("data:,", { cache: "no-store" } as RequestInit);
    // While building, the rendering of the page ends with this: it throws what Next.js has to see.
    if (process.env.NEXT_PHASE === "phase-production-build") return marked;
    // Later the call alone has told it, and no command waits.
    marked.catch(() => {});
    return undefined;
  };
}
