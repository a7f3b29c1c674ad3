import { Redis } from "warmline";
import { idempotent } from "warmline/idempotent";
import { programOf, runHandler } from "../support/random-handler.js";

// Delivers an event to a random handler, and prints the replies of its writes.

const { EVENT = "", PREFIX = "", SEED, WAY } = process.env;
const redis = Redis.fromEnv();
const steps = programOf(Number(SEED), PREFIX);
const replies =
  WAY === "scope"
    ? await runHandler(redis.with({ writes: "exactly-once", scope: EVENT }), steps)
    : await idempotent(redis, EVENT, (guarded) => runHandler(guarded, steps));
console.log(JSON.stringify(replies));
process.exit();
