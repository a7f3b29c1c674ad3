import { createClient, kv, VercelKV } from "@vercel/kv";

const own = createClient({ url: process.env.KV_REST_API_URL, token: process.env.KV_REST_API_TOKEN });
const { set, get } = kv;
await set("kv:user", { name: "Ada" }, { ex: 60 });
await own.hset("kv:hash", { a: 1, b: "two" });
await own.sadd("kv:set", "x", "y");
await own.zadd("kv:sorted", { score: 1, member: "m" });
const walk = async <T>(items: AsyncIterable<T>) => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
console.log(
  JSON.stringify({
    user: await get<{ name: string }>("kv:user"),
    isVercelKV: own instanceof VercelKV,
    keys: (await walk(kv.scanIterator({ match: "kv:*" }))).sort(),
    hash: await walk(own.hscanIterator("kv:hash")),
    set: (await walk(own.sscanIterator("kv:set"))).sort(),
    sorted: await walk(own.zscanIterator("kv:sorted")),
    multi: await kv.multi().incr("kv:n").incr("kv:n").exec(),
  }),
);
