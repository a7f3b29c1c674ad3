import { Redis } from "warmline";

/** What a page reads with this is read anew for each request. */
export const redis = Redis.fromEnv();

/** What a page reads with this may be kept, as long as the page's `revalidate` says. */
export const cachedRedis = Redis.fromEnv({ cache: "default" });
