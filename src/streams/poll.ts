import type { Redis } from "../client/redis.js";
import { ConnectionError, RedisError, TimeoutError, UnknownOutcomeError } from "../errors.js";
import { throwIfAborted } from "../util/abort.js";
import { sleep } from "../util/timers.js";
import type { FollowedEntry } from "./entry.js";
import { GapError, hasGap, type Position, readStreamInfo, START } from "./position.js";

/** Maximum number of entries that are read at once. */
const PAGE = 100;
/** Pauses in ms between reads. They grow while there are no new entries or reads fail. */
const MIN_PAUSE = 100;
const MAX_PAUSE = 2_000;

const longer = (pause: number) => Math.min(pause * 1.5, MAX_PAUSE);

/**
 * Yields pages of the entries after a position, for endpoints without an event stream of entries. Tests replace `wait`.
 * @throws GapError, and errors of the commands. After the first successful read, transient errors are retried instead.
 */
export async function* pollEntries<V>(
  redis: Redis<V>,
  key: string,
  from: string,
  signal: AbortSignal | undefined,
  wait = sleep,
): AsyncGenerator<FollowedEntry<V>[], never> {
  // With exactly-once, a transaction would also store the replies of its reads.
  const client = redis.with({ writes: "at-most-once", ...(signal && { signal }) });
  let position: Position = { id: from, added: from === START ? 0 : undefined };
  let pause = MIN_PAUSE;
  for (let isFirst = true; ; ) {
    const fromEnd = position.id === "$";
    try {
      const range = position.id === "-" ? "-" : fromEnd ? "+" : `(${position.id}`;
      const [infoResult, entries] = await client
        .multi()
        .xinfo(key, { type: "STREAM" })
        .xrange<Record<string, V>>(key, range, "+", fromEnd ? 1 : PAGE)
        .exec({ keepErrors: true });
      if (infoResult.error && !/no such key/i.test(infoResult.error.message)) throw infoResult.error;
      if (entries.error) throw entries.error;
      const info = infoResult.error ? undefined : readStreamInfo(infoResult.result as unknown[]);
      isFirst = false;
      if (fromEnd) position = { id: info?.lastId ?? START, added: info ? info.added : 0 };
      else {
        if (hasGap(position, info)) {
          const state = info?.firstId ? `the stream begins at ${info.firstId}` : "the stream has no entries";
          throw new GapError(position.id, state);
        }
        const page = Object.entries(entries.result!).map(([id, fields]) => ({ id, fields }));
        const isLast = page.length < PAGE;
        const id = page.at(-1)?.id ?? (position.id === "-" ? START : position.id);
        position = { id, added: isLast ? (info ? info.added : 0) : undefined };
        if (page.length > 0) yield page;
        pause = page.length > 0 ? MIN_PAUSE : longer(pause);
        if (!isLast) continue;
      }
    } catch (error) {
      if (isFirst || !isTransient(error)) throw error;
      pause = longer(pause);
    }
    await wait(pause, signal);
    throwIfAborted(signal);
  }
}

function isTransient(error: unknown): boolean {
  const kinds = [ConnectionError, TimeoutError, UnknownOutcomeError];
  // Redis sends these errors while it starts, or fails over.
  const isBusy =
    error instanceof RedisError && /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN)$/.test(error.code);
  return isBusy || kinds.some((kind) => error instanceof kind);
}
