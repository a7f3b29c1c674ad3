import { createClient } from "redis";

const redis = await createClient({ url: process.env.REDIS_URL }).connect();

await redis.zAdd("board", [
  { score: 20, value: "ada" },
  { score: 36, value: "grace" },
]);
await redis.zAdd("board", { score: 25, value: "ada" }, { GT: true });
const score = await redis.zIncrBy("board", 5, "ada");
const top = (await redis.zRangeWithScores("board", 0, 9, { REV: true })).map(({ value, score }) => ({
  player: value,
  score,
}));
const [removed, left] = await redis.multi().zRem("board", "grace").zCard("board").exec();

console.log(JSON.stringify({ score, top, removed, left }));
await redis.close();
