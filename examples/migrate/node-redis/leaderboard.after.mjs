import { Redis } from "warmline";

const redis = Redis.fromEnv();

await redis.zadd("board", { score: 20, member: "ada" }, { score: 36, member: "grace" });
await redis.zadd("board", { gt: true }, { score: 25, member: "ada" });
const score = await redis.zincrby("board", 5, "ada");
const flat = await redis.zrange("board", 0, 9, { rev: true, withScores: true });
const top = [];
for (let i = 0; i < flat.length; i += 2) top.push({ player: flat[i], score: flat[i + 1] });
const [removed, left] = await redis.multi().zrem("board", "grace").zcard("board").exec();

console.log(JSON.stringify({ score, top, removed, left }));
