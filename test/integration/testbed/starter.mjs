// Starts a Redis, prints its process id and waits to be killed.
import { startRedis } from "warmline-testbed";

const redis = await startRedis();
console.log(redis.pid);
setInterval(() => {}, 60_000);
