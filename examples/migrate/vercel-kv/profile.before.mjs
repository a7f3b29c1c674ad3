import { kv } from "@vercel/kv";

await kv.set("user:1", { name: "Ada" }, { ex: 3600 });
const user = await kv.get("user:1");
await kv.hset("visits", { home: 2, about: 1 });
const home = await kv.hincrby("visits", "home", 1);
const visits = await kv.hgetall("visits");

console.log(JSON.stringify({ user, home, visits, ttl: await kv.ttl("user:1") }));
