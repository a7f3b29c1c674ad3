import { Redis } from "warmline";

/** A page that reads with this client is rendered for each request. */
export const redis = Redis.fromEnv();

/** Next.js may cache a page that reads with this client, for the seconds of its `revalidate`. */
export const cachedRedis = Redis.fromEnv({ cache: "default" });
