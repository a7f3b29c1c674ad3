import { Lock } from "@upstash/lock";
import { Redis } from "@upstash/redis";

const redis = Redis.fromEnv();
const lock = new Lock({ id: "lock", redis, lease: 60_000 });
const other = new Lock({ id: "lock", redis, retry: { attempts: 1, delay: 1 } });
console.log(
  JSON.stringify({
    acquired: await lock.acquire(),
    meanwhile: await other.acquire(),
    extended: await lock.extend(10_000),
    status: await lock.getStatus(),
    stolen: await other.release(),
    released: await lock.release(),
    after: [await lock.getStatus(), await other.acquire()],
  }),
);
