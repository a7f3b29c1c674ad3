import { Redis } from "warmline";

const redis = Redis.fromEnv();

await redis.rpush("jobs", { id: 1 }, { id: 2 });
const take = redis.createScript(`
local job = redis.call("LPOP", KEYS[1])
if job then redis.call("RPUSH", KEYS[2], job) end
return job`);
const job = await take.exec(["jobs", "running"]);
await redis.xadd("log", "1-1", { event: "taken", by: "ada" });
const log = Object.entries(await redis.xrange("log", "-", "+")).map(([id, fields]) => ({ id, ...fields }));
const [, popped] = await redis.blpop("jobs", 1);
const keys = [];
for await (const key of redis.scanIterator({ match: "*" })) keys.push(key);

console.log(JSON.stringify({ job, log, popped, keys: keys.sort() }));
