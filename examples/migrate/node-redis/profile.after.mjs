import { Redis } from "warmline";

const redis = Redis.fromEnv();

await redis.set("user:1", { name: "Ada", born: 1815 }, { ex: 3600 });
const user = await redis.get("user:1");
const first = await redis.set("lock", "me", { px: 10_000, nx: true });
const second = await redis.set("lock", "you", { px: 10_000, nx: true });
await redis.hset("visits", { home: 2, about: 1 });
const home = await redis.hincrby("visits", "home", 1);
const { about } = await redis.hgetall("visits");
const missing = (await redis.hgetall("missing")) === null;

console.log(JSON.stringify({ user, first, second, home, about, missing, ttl: await redis.ttl("user:1") }));
