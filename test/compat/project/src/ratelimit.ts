import { IpDenyList, Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";

// Every algorithm, with analytics, which are sent beside the response.
const redis = Redis.fromEnv();
const limiters = {
  fixedWindow: Ratelimit.fixedWindow(3, "1 h"),
  slidingWindow: Ratelimit.slidingWindow(3, "1 h"),
  tokenBucket: Ratelimit.tokenBucket(1, "1 h", 3),
};
const results: Record<string, unknown> = {};
for (const [name, limiter] of Object.entries(limiters)) {
  const ratelimit = new Ratelimit({ redis, limiter, prefix: name, analytics: true, ephemeralCache: false });
  const passed: boolean[] = [];
  for (let i = 0; i < 5; i++) {
    const { success, pending } = await ratelimit.limit("somebody");
    await pending;
    passed.push(success);
  }
  const { remaining } = await ratelimit.getRemaining("somebody");
  await ratelimit.resetUsedTokens("somebody");
  results[name] = { passed, remaining, again: (await ratelimit.limit("somebody")).success };
}
const denied = new Ratelimit({
  redis,
  limiter: Ratelimit.fixedWindow(3, "1 h"),
  prefix: "denied",
  enableProtection: true,
  ephemeralCache: false,
});
// The list that it would fetch from the web; entries denied by hand stay.
await IpDenyList.disableIpDenyList(redis, "denied");
await redis.sadd("denied:denyList:all", "1.2.3.4");
const { success, reason, deniedValue } = await denied.limit("somebody", { ip: "1.2.3.4" });
results.denyList = { success, reason, deniedValue };
console.log(JSON.stringify(results));
