import type { Redis } from "warmline";

/** Settings of a revalidation. */
export interface Durations {
  /** Time in seconds after which entries with the tag must not be served. Without it they expire at once. */
  readonly expire?: number;
}

/** The state of an entry by the revalidations of its tags. */
export type Freshness = "fresh" | "stale" | "expired";

/** The times of revalidations, in a hash that all instances share. It has two fields per revalidated tag. */
export class TagTimes {
  readonly #redis: Redis;
  readonly #key: string;

  constructor(redis: Redis, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  /**
   * Records that tags are revalidated now.
   * @param durations if present, entries are stale at once, and expire after `expire` seconds. If absent, they expire at once
   */
  async revalidate(tags: readonly string[], durations?: Durations): Promise<void> {
    if (tags.length === 0) return;
    const now = Date.now();
    const times: Record<string, number> = {};
    for (const tag of tags) {
      if (durations) times[`stale:${tag}`] = now;
      if (!durations || durations.expire !== undefined)
        times[`expired:${tag}`] = now + (durations?.expire ?? 0) * 1_000;
    }
    await this.#redis.hset(this.#key, times);
  }

  /** Returns the state of an entry with these tags that was created at `created`, a time in ms since the epoch. */
  async freshness(tags: readonly string[], created: number): Promise<Freshness> {
    if (tags.length === 0) return "fresh";
    const fields = tags.flatMap((tag) => [`expired:${tag}`, `stale:${tag}`]);
    const times = await this.#redis.hmget<Record<string, number | null>>(this.#key, ...fields);
    const now = Date.now();
    const getTime = (field: string) => times?.[field] ?? 0;
    const isExpired = (tag: string) => {
      const at = getTime(`expired:${tag}`);
      return at >= created && at <= now;
    };
    if (tags.some(isExpired)) return "expired";
    return tags.some((tag) => getTime(`stale:${tag}`) >= created) ? "stale" : "fresh";
  }
}
