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
  /** The fetches of the commands issued in this turn. */
  let turn: Promise<unknown>[] | undefined;
  let settled: Promise<unknown>;
  return () => {
    const marked = fetch("data:,", { cache: "no-store" } as RequestInit);
    // At run time the call itself is enough, and no command waits.
    if (process.env.NEXT_PHASE !== "phase-production-build") {
      marked.catch(() => {});
      return undefined;
    }
    // While building, the rendering of the page ends with this: its error has to reach Next.js. Commands of one turn go on
    // together, so that they are sent in the order issued.
    if (!turn) {
      const marks: Promise<unknown>[] = [];
      turn = marks;
      settled = Promise.resolve().then(() => {
        turn = undefined;
        return Promise.allSettled(marks);
      });
    }
    turn.push(marked);
    return settled.then(() => marked);
  };
}
