import { CacheHandler } from "@fortedigital/nextjs-cache-handler";
import createCompositeHandler from "@fortedigital/nextjs-cache-handler/composite";
import createLruHandler from "@fortedigital/nextjs-cache-handler/local-lru";
import createRedisHandler from "@fortedigital/nextjs-cache-handler/redis-strings";
import { createClient } from "@redis/client";

// The handlers and options of "Production Setup Example" in its README.
CacheHandler.onCreation(async () => {
  const client = createClient({ url: process.env.REDIS_URL, pingInterval: 10_000 });
  client.on("error", () => {});
  await client.connect();
  const redis = createRedisHandler({ client, keyPrefix: "nextjs:" });
  const setStrategy = ({ tags }) => (tags.includes("memory-cache") ? 0 : 1);
  return {
    handlers: [createCompositeHandler({ handlers: [createLruHandler(), redis], setStrategy })],
  };
});

export default CacheHandler;
