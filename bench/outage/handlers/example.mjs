import { deserialize, serialize } from "node:v8";
import { createClient } from "@redis/client";

// Reads and writes pages as examples/cache-handler-redis of Next.js does: the same options of the client, the same commands, and the
// same reactions to errors. CACHE_LIMITS adds the time limits that node-redis documents, in ms.
const limitMs = Number(process.env.CACHE_LIMITS ?? 0);
const limits = limitMs > 0 && {
  socket: { socketTimeout: limitMs, reconnectStrategy: (retries) => Math.min(50 * retries, 500) },
  commandOptions: { timeout: limitMs },
  // An idle connection would reach its socketTimeout.
  pingInterval: limitMs / 4,
};
const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true, ...limits });
client.on("error", () => {});
const connected = Promise.race([
  client.connect().catch(() => {}),
  new Promise((resolve) => setTimeout(resolve, 1_000).unref()),
]);

/** Calls `run` if there is a connection. Returns undefined if there is none, or on an error. */
async function withRedis(run) {
  await connected;
  return client.isReady ? run().catch(() => undefined) : undefined;
}

export default class ExampleCacheHandler {
  async get(key) {
    const stored = await withRedis(() => client.get(`cache:${key}`));
    return stored ? deserialize(Buffer.from(stored, "base64")) : null;
  }

  async set(key, value, { cacheControl }) {
    const tags = (value?.headers?.["x-next-cache-tags"] ?? "").split(",").filter(Boolean);
    const entry = serialize({ value, lastModified: Date.now(), tags });
    await withRedis(async () => {
      await client.set(`cache:${key}`, entry.toString("base64"), { EX: cacheControl.expire });
      await Promise.all(tags.map((tag) => client.sAdd(`tag:${tag}`, key)));
    });
  }

  // Next.js requires these, and the page calls neither.
  async revalidateTag() {}
  resetRequestCache() {}
}
