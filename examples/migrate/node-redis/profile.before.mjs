import { createClient } from "redis";

const redis = await createClient({ url: process.env.REDIS_URL }).connect();

await redis.set("user:1", JSON.stringify({ name: "Ada", born: 1815 }), { EX: 3600 });
const user = JSON.parse(await redis.get("user:1"));
const first = await redis.set("lock", "me", { PX: 10_000, NX: true });
const second = await redis.set("lock", "you", { PX: 10_000, NX: true });
await redis.hSet("visits", { home: 2, about: 1 });
const home = await redis.hIncrBy("visits", "home", 1);
const visits = await redis.hGetAll("visits");
const about = Number(visits.about);
const missing = Object.keys(await redis.hGetAll("missing")).length === 0;

console.log(JSON.stringify({ user, first, second, home, about, missing, ttl: await redis.ttl("user:1") }));
await redis.close();
