import { Redis } from "warmline";

const redis = Redis.fromEnv();

await redis.rpush("jobs", { id: 1 }, { id: 2 }, { id: 3 });
const take = redis.createScript(`
local job = redis.call("LPOP", KEYS[1])
if job then redis.call("RPUSH", KEYS[2], job) end
return job`);
const job = await take.exec(["jobs", "running"], []);
const waiting = await redis.lrange("jobs", 0, -1);
await redis.xadd("log", "1-1", { event: "taken", by: "ada" });
const log = await redis.xrange("log", "-", "+");
const keys = [];
let cursor = "0";
do {
  const [next, page] = await redis.scan(cursor, { match: "*", count: 10 });
  keys.push(...page);
  cursor = next;
} while (cursor !== "0");

console.log(JSON.stringify({ job, waiting, log, keys: keys.sort() }));
