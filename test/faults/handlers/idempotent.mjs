import { Redis } from "warmline";
import { idempotent } from "warmline/idempotent";

const redis = Redis.fromEnv();

/** Writes twice under a lease of a second, with a wait for the key `go` between. Returns the result, or the error's code. */
export async function handler(event) {
  const run = async (guarded) => {
    await guarded.incr("n");
    while (!(await redis.exists("go"))) await new Promise((resolve) => setTimeout(resolve, 20));
    return guarded.incr("late");
  };
  return idempotent(redis, event, run, { lease: 1 }).catch(({ code, command }) => ({ code, command }));
}
