import { Redis } from "warmline/fetch";

const redis = Redis.fromEnv();

export const GET = async () => Response.json([await redis.get("k"), await redis.incr("node-route")]);
