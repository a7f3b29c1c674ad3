import { Redis } from "warmline";
import { createCacheHandler } from "warmline-adapters/next";

// The program of docs/integrations.md.
export default createCacheHandler({ redis: Redis.fromEnv({ timeout: 1_000 }) });
