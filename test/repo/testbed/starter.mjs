// Starts a Redis, prints its process id and its socket, and waits to be killed.
import { startRedis } from "warmline-testbed";

const redis = await startRedis();
console.log(redis.pid, redis.path);
setInterval(() => {}, 60_000);
