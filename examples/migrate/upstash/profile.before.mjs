import { Redis } from "@upstash/redis";

const redis = Redis.fromEnv();

await redis.set("user:1", { name: "Ada", born: 1815 }, { ex: 3600 });
const user = await redis.get("user:1");
const first = await redis.set("lock", "me", { nx: true, px: 10_000 });
const second = await redis.set("lock", "you", { nx: true, px: 10_000 });
await redis.hset("visits", { home: 2, about: 1 });
const home = await redis.hincrby("visits", "home", 1);
const visits = await redis.hgetall("visits");
const [a, b] = await redis.mget("user:1", "missing");

console.log(JSON.stringify({ user, first, second, home, visits, a, b, ttl: await redis.ttl("user:1") }));
