import { Redis } from "ioredis";

const redis = new Redis(process.env.REDIS_URL);

await redis.rpush("jobs", JSON.stringify({ id: 1 }), JSON.stringify({ id: 2 }));
redis.defineCommand("take", {
  numberOfKeys: 2,
  lua: `
local job = redis.call("LPOP", KEYS[1])
if job then redis.call("RPUSH", KEYS[2], job) end
return job`,
});
const job = JSON.parse(await redis.take("jobs", "running"));
await redis.xadd("log", "1-1", "event", "taken", "by", "ada");
const log = (await redis.xrange("log", "-", "+")).map(([id, [, event, , by]]) => ({ id, event, by }));
const [, popped] = await redis.blpop("jobs", 1);
const keys = [];
for await (const page of redis.scanStream({ match: "*" })) keys.push(...page);

console.log(JSON.stringify({ job, log, popped: JSON.parse(popped), keys: keys.sort() }));
await redis.quit();
