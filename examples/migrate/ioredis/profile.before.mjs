import { Redis } from "ioredis";

const redis = new Redis(process.env.REDIS_URL);

await redis.set("user:1", JSON.stringify({ name: "Ada", born: 1815 }), "EX", 3600);
const user = JSON.parse(await redis.get("user:1"));
const first = await redis.set("lock", "me", "PX", 10_000, "NX");
const second = await redis.set("lock", "you", "PX", 10_000, "NX");
await redis.hset("visits", "home", 2, "about", 1);
const home = await redis.hincrby("visits", "home", 1);
const visits = await redis.hgetall("visits");
const about = Number(visits.about);
const missing = Object.keys(await redis.hgetall("missing")).length === 0;

console.log(JSON.stringify({ user, first, second, home, about, missing, ttl: await redis.ttl("user:1") }));
await redis.quit();
