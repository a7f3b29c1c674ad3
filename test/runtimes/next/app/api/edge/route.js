import { Redis } from "warmline/fetch";

export const runtime = "edge";

const redis = Redis.fromEnv();

export const GET = async () => Response.json([await redis.get("k"), await redis.incr("edge-route")]);
