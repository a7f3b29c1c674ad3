import { Redis, WarmlineError } from "warmline";
import { rateLimit } from "./rate-limit.mjs";

const redis = Redis.fromEnv({ timeout: 1000 });
const allow = rateLimit(redis, { limit: 10, window: 60_000 });

/** A function that answers a caller at most ten times a minute. */
export const handler = async (event) => {
  const { allowed, left, resetsAt } = await allow(event.caller).catch(openOnFailure);
  if (!allowed) {
    const wait = Math.ceil((resetsAt - Date.now()) / 1000);
    return { statusCode: 429, headers: { "retry-after": String(wait) }, body: "too many requests" };
  }
  return { statusCode: 200, headers: { "x-ratelimit-remaining": String(left) }, body: "hello" };
};

/** Without Redis nobody is counted, and everybody served. A lost answer may have counted: that is no harm either. */
function openOnFailure(error) {
  if (!(error instanceof WarmlineError)) throw error;
  console.warn(`rate limit: ${error.message}`);
  return { allowed: true, left: 0, resetsAt: Date.now() };
}
