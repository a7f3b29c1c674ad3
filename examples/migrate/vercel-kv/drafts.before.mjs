import { createClient } from "@vercel/kv";

const kv = createClient({ url: process.env.KV_REST_API_URL, token: process.env.KV_REST_API_TOKEN });

const pipeline = kv.pipeline();
for (let n = 1; n <= 3; n++) pipeline.set(`draft:${n}`, { n, text: `text ${n}` });
await pipeline.exec();
await kv.zadd("drafts", { score: 2, member: "draft:2" }, { score: 1, member: "draft:1" });
const ids = await kv.zrange("drafts", 0, -1);
const drafts = await kv.mget(...ids);
const keys = [];
for await (const key of kv.scanIterator({ match: "draft:*" })) keys.push(key);
await kv.del("draft:3");

console.log(JSON.stringify({ ids, drafts, keys: keys.sort(), left: await kv.exists("draft:3") }));
