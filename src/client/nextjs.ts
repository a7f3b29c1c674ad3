import type { RedisOptions } from "../options/options.js";

/** Modes of `cache` in which a page may be stored with the data that it read. */
const KEPT: readonly RedisOptions["cache"][] = ["default", "force-cache", "only-if-cached"];

/**
 * Makes Next.js render a page for each request. Next.js renders a page once, during the build, if the page seems to read only
 * constant data. It does not see a socket, but it sees a fetch that must not be cached. Returns undefined without Next.js, or if
 * pages may be stored, else a function to call before each command, whose promise, if it returns one, the command waits for.
 */
export function markPageDynamic({ cache }: RedisOptions): (() => Promise<unknown> | undefined) | undefined {
  // Next.js replaces this name by a constant.
  if (!process.env.NEXT_RUNTIME || KEPT.includes(cache)) return undefined;
  /** The fetches of the commands issued in this tick. */
  let turn: Promise<unknown>[] | undefined;
  let settled: Promise<unknown>;
  return () => {
    const marked = fetch("data:,", { cache: "no-store" } as RequestInit);
    // At run time the call itself is enough, and no command waits.
    if (process.env.NEXT_PHASE !== "phase-production-build") {
      marked.catch(() => {});
      return undefined;
    }
    // During the build this fetch ends the rendering of the page: its error has to reach Next.js. Commands of one tick continue
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
