// Calls a cached function, many times at once. Each run of the function is counted in Redis, over a path without faults.
import { Redis } from "warmline";
import { cached } from "warmline/cache";

const { url, options, client } = JSON.parse(process.env.CACHED);
const redis = Redis.fromEnv(client);
const counter = new Redis({ url, token: process.env.WARMLINE_TOKEN });
let runs = 0;
const load = cached(
  redis,
  "load",
  async (id, ms) => {
    runs++;
    const run = await counter.incr(`runs:${id}`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return run;
  },
  { key: (id) => id, fresh: 60, ...options },
);

export async function handler({ id, calls = 1, ms = 0 }) {
  runs = 0;
  const results = await Promise.all(
    Array.from({ length: calls }, async () => {
      const began = performance.now();
      const settled = await load(id, ms).then(
        (value) => ({ value }),
        ({ name, code }) => ({ error: name, code }),
      );
      return { ...settled, ms: performance.now() - began };
    }),
  );
  return { results, runs };
}
