// A mutex and a semaphore for two.
import { Mutex, Semaphore } from "redis-semaphore";
import { done, ioredis } from "./connect.mjs";

const redis = ioredis();
const waiting = { acquireTimeout: 100, retryInterval: 20 };
const mutex = new Mutex(redis, "m", waiting);
await mutex.acquire();
const second = await new Mutex(redis, "m", waiting).acquire().then(
  () => "acquired",
  ({ message }) => message,
);
await mutex.release();
const third = await new Mutex(redis, "m", waiting).acquire().then(
  () => "acquired",
  ({ message }) => message,
);
const semaphores = Array.from({ length: 3 }, () => new Semaphore(redis, "s", 2, waiting));
const acquired = [];
for (const semaphore of semaphores) acquired.push(await semaphore.tryAcquire());
done({ second, third, acquired });
