import { Redis } from "ioredis";

const redis = new Redis(process.env.REDIS_URL);

await redis.zadd("board", 20, "ada", 36, "grace");
await redis.zadd("board", "GT", 25, "ada");
const results = await redis
  .pipeline()
  .zincrby("board", 5, "ada")
  .zrevrange("board", 0, 9, "WITHSCORES")
  .zrank("board", "grace")
  .exec();
for (const [error] of results) if (error) throw error;
const [score, flat, rank] = results.map(([, value]) => value);
const top = [];
for (let i = 0; i < flat.length; i += 2) top.push({ player: flat[i], score: Number(flat[i + 1]) });
const [[, removed], [, left]] = await redis.multi().zrem("board", "grace").zcard("board").exec();

console.log(JSON.stringify({ score: Number(score), top, rank, removed, left }));
await redis.quit();
