import { Redis } from "warmline";

const kv = Redis.fromEnv();

async function allow(caller) {
  const key = `rate:${caller}`;
  const [calls] = await kv.multi().incr(key).expire(key, 60, "NX").exec();
  return calls <= 3;
}

const allowed = [];
for (let i = 0; i < 5; i++) allowed.push(await allow("ada"));

console.log(JSON.stringify({ allowed, calls: await kv.get("rate:ada") }));
