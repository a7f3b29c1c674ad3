import { Redis } from "@upstash/redis";

const redis = Redis.fromEnv();

await redis.zadd("board", { score: 20, member: "ada" }, { score: 36, member: "grace" });
await redis.zadd("board", { gt: true }, { score: 25, member: "ada" });
const pipeline = redis.pipeline();
pipeline.zincrby("board", 5, "ada");
pipeline.zrange("board", 0, 9, { rev: true, withScores: true });
pipeline.zrank("board", "grace");
const [score, top, rank] = await pipeline.exec();
const [removed, left] = await redis.multi().zrem("board", "grace").zcard("board").exec();

console.log(JSON.stringify({ score, top, rank, removed, left }));
