// Points by ioredis and by node-redis, a penalty, a reward and a block.
import { RateLimiterRedis } from "rate-limiter-flexible";
import { done, ioredis, nodeRedis } from "./connect.mjs";

const found = {};
for (const [name, storeClient] of [
  ["ioredis", ioredis()],
  ["node-redis", await nodeRedis()],
]) {
  const limiter = new RateLimiterRedis({
    storeClient,
    useRedisPackage: name === "node-redis",
    keyPrefix: name,
    points: 3,
    duration: 60,
  });
  const consumed = [];
  for (let i = 0; i < 5; i++) {
    consumed.push(
      await limiter.consume("ip").then(
        ({ remainingPoints }) => remainingPoints,
        () => "refused",
      ),
    );
  }
  await limiter.reward("ip", 2);
  const { consumedPoints } = await limiter.get("ip");
  await limiter.block("other", 60);
  const blocked = await limiter.consume("other").then(
    () => false,
    () => true,
  );
  found[name] = { consumed, consumedPoints, blocked, deleted: await limiter.delete("ip") };
}
done(found);
