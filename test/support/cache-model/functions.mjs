// The cached functions of the model: of one slot and of several, with results that stay fresh and with stale ones. Each reads
// the version of its key in a database, which is another key in Redis, over a path without faults.

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The tag of a key. */
export const tagOf = (key) => `tag ${Number(key) % 2}`;

/**
 * @param db a client over a path without faults.
 * @param onRun is called at each run of a function.
 */
export function createFunctions(cached, redis, db, { random, waitUntil, onRun = () => {} }) {
  const create = (name, options) =>
    cached(
      redis,
      name,
      async (key) => {
        onRun();
        if (random() < 0.5) await pause(random() * 30);
        const version = await db.get(`db:${key}`);
        await pause(random() < 0.2 ? random() * 150 : random() * 10);
        return version;
      },
      { key: (key) => key, tags: (_version, key) => [tagOf(key), "all"], lease: 0.15, ...options },
    );
  return {
    fresh: create("{fresh}", { fresh: 60 }),
    split: create("split", { fresh: 60 }),
    stale: create("{stale}", { fresh: 0.05, stale: 60, waitUntil }),
    splitStale: create("splitStale", { fresh: 0.05, stale: 60 }),
  };
}
